"""RFC 3339 time (Gemini's createTime) and seconds since 1970 (OpenAI's created), converted by arithmetic alone.

The calendar is the proleptic Gregorian one; years start in March so that the leap day comes last.
"""

from typing import Final

_DAYS_TO_1970: Final = 719468
_DAYS_IN_ERA: Final = 146097
_DAY: Final = 86400


def parse_timestamp(stamp: object) -> int | None:
    """Return the whole seconds since 1970 of ``2025-09-03T14:13:07.015693Z`` (only UTC); None if it is no such text."""
    if not isinstance(stamp, str) or len(stamp) < 20 or stamp[-1] not in "Zz":
        return None
    fields = (stamp[0:4], stamp[5:7], stamp[8:10], stamp[11:13], stamp[14:16], stamp[17:19])
    if not all(field.isdecimal() for field in fields):
        return None
    year, month, day, hour, minute, second = map(int, fields)
    year -= month <= 2
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    era, year_of_era = divmod(year, 400)
    days = era * _DAYS_IN_ERA + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - _DAYS_TO_1970
    return days * _DAY + hour * 3600 + minute * 60 + second


def format_timestamp(seconds: int) -> str:
    """Return seconds since 1970 as ``2025-09-03T14:13:07Z``."""
    days, rest = divmod(seconds, _DAY)
    era, day_of_era = divmod(days + _DAYS_TO_1970, _DAYS_IN_ERA)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted + 2) // 5 + 1
    month = shifted + 3 if shifted < 10 else shifted - 9
    year = era * 400 + year_of_era + (month <= 2)
    hour, minute, second = rest // 3600, rest // 60 % 60, rest % 60
    return f"{year:04d}-{month:02d}-{day:02d}T{hour:02d}:{minute:02d}:{second:02d}Z"
