import { InvalidFieldError } from '../../platform/errors/domain-error.js';
import { fieldRule } from '../../platform/http/field-rule.js';
import { parseZonedTime } from '../../platform/http/time-parameter.js';

const MAX_DAYS_AHEAD = 366;
const DAY_MS = 86_400_000;

export function IsSendAt(): PropertyDecorator {
  return fieldRule(
    'isSendAt',
    'sendAt must be an ISO 8601 time with a time zone, like 2026-05-04T08:00:00Z',
    (value) => !Number.isNaN(parseZonedTime(value)),
  );
}

/**
 * @param now in milliseconds since the Unix epoch
 * @returns undefined for a time that is not in the future
 * @throws InvalidFieldError for a time more than 366 days ahead
 */
export function readSendAt(sendAt: string, now: number): Date | undefined {
  const time = Date.parse(sendAt);
  if (time - now > MAX_DAYS_AHEAD * DAY_MS) {
    throw new InvalidFieldError('sendAt', `must be at most ${MAX_DAYS_AHEAD} days ahead`);
  }
  return time > now ? new Date(time) : undefined;
}
