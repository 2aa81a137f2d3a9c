"""Check a configuration against its model, and fill in the defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import to_jsonable_python

from shakedown.component.keys import is_optional
from shakedown.config.mistakes import sentence
from shakedown.config.study import Study
from shakedown.interface import InputError

M = TypeVar("M", bound=BaseModel)


def checked(given: Mapping[str, Any], model: type[M] = Study) -> M:
    """A configuration, or a part of one, as its model.

    Raises
    ------
    InputError
        At the first mistake that the model alone can find.
    """
    try:
        return model.model_validate(given)
    except ValidationError as e:
        raise InputError(sentence(e, given, model)) from None


def completed(given: Mapping[str, Any], model: BaseModel) -> dict[str, Any]:
    """What was given, and all defaults, in the order of declaration.

    Parameters
    ----------
    given : mapping
        Settings.
    model : BaseModel
        Made from them.

    Returns
    -------
    dict
        Where a model has a float, the number stays as it was written: a job runs again when one of
        its settings looks otherwise.
    """
    result = {}
    for name, field in type(model).model_fields.items():
        key, value = field.alias or name, getattr(model, name)
        if key in given:
            result[key] = _completed(given[key], value)
        elif not is_optional(field):
            result[key] = to_jsonable_python(value, by_alias=True)
    others = {key: _completed(value, value) for key, value in given.items() if key not in result}
    return result | others


def _completed(given: Any, value: Any) -> Any:
    if isinstance(given, Mapping) and isinstance(value, BaseModel):
        return completed(given, value)
    if isinstance(given, Mapping) and isinstance(value, Mapping):
        return {key: _completed(given[key], value[key]) for key in given}
    if isinstance(given, list) and isinstance(value, list):
        return [_completed(*pair) for pair in zip(given, value, strict=True)]
    return given if isinstance(value, float) else value
