"""The times that people tell in conversation, each with its interval.

`find_times` reads a text against the time it was said. What it decides where speech is loose:

- A bare weekday, month, season, holiday or day without a year is the latest one, as chat tells
  what happened; it is the next one where the sentence looks ahead ("will", "going to", "due",
  "can we"). The cue nearest before the time in its sentence decides, else the first after it. Bare
  weekdays are never today in the past, and may be today in the future.
- "last Tuesday" is the latest Tuesday before today, "next Tuesday" that of the next week, "this
  Tuesday" that of the current week (Monday to Sunday), "coming Tuesday" the first after today.
  "last week", "next month", "this year" are whole calendar units; "last summer" is the latest that
  is over, "next summer" the first to start.
- "two weeks ago", "in three years" is the one day that the arithmetic lands on (below a day, the
  minute), and its granularity is the unit told, which says how rough it is.
- "in the past three months" ends before today, "the next 2 days" start tomorrow; quarters, decades
  and fortnights are whole. "has lived here for (the past) three years" started then and goes on,
  kind "since"; without "have" or "been" it is the range.
- "since 2019" starts with it; "after 2019" starts when it is over. "until Friday" and "before
  Friday" end where Friday starts; "through Friday" and "by Friday" (kind "deadline") include it.
  "until the end of June" ends with June.
- "from March to May", "Monday - Friday", "between 2014 and 2018" include the last one, save with
  "until" or "till". `TimeExpression.last_unit_start` serves callers who leave it out.
- "early", "mid", "late" and "end of" are thirds of a year or decade and halves of a month. The
  seasons are those of the northern hemisphere, from the 1st of March, June, September, December.
- Morning is 8 to 12, afternoon 12 to 16, evening 16 to 20, night 20 to 24. Hours 1 to 7 without am
  or pm are after noon. "3 pm" lasts an hour, "3:10" a minute. A time alone is of today.
- 9/6/2023 is September 6; 23/6/2023 can only be June 23. Years 00 to 39 are of this century.
- Recurring times ("every Friday") and plain durations ("for two hours") are no times.

Where the rules find nothing and the text seems to hold an explicit date, the dateparser library is
asked; `TimeExpression.source` tells.
"""

from bitempo.ingest.dates.finding import TimeExpression, find_times
from bitempo.ingest.dates.language import DateLanguage, language_for, register

__all__ = ["DateLanguage", "TimeExpression", "find_times", "language_for", "register"]
