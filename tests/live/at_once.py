"""Teams that send the same files at the same time."""

import threading


def scores_at_once(players, sent):
    """The scores of each team, by team; each sends its files to its own view of the board.

    Parameters
    ----------
    players : sequence of (LiveBoard, str)
        Boards, and the teams that send to them.
    sent : sequence of array
        Files, which all teams send in this order.
    """
    got = {}

    def play(live, team):
        got[team] = [live.submit(team, file, f"k{k}").score for k, file in enumerate(sent)]

    threads = [threading.Thread(target=play, args=player) for player in players]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return got
