"""Read delimited text and Parquet files; a `Policy` says how, for each use."""
