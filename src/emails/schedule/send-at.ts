import { isISO8601, registerDecorator } from 'class-validator';
import { InvalidFieldError } from '../../platform/errors/domain-error.js';

const MAX_DAYS_AHEAD = 366;
const DAY_MS = 86_400_000;

/** ISO 8601 with a time zone: without one, hosts in different zones would send at different times. */
const ZONED_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

export function IsSendAt(): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name: 'isSendAt',
      target: target.constructor,
      propertyName: property as string,
      options: { message: 'sendAt must be an ISO 8601 time with a time zone, like 2026-05-04T08:00:00Z' },
      validator: { validate: isZonedTime },
    });
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

function isZonedTime(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    ZONED_TIME.test(value) &&
    isISO8601(value, { strict: true }) &&
    !Number.isNaN(Date.parse(value))
  );
}
