import { NETWORK_CODES } from '../errors/network-codes.js';
import { refusalReason, refusesAllWrites, refusesLogin } from './refused-writes.js';

/** Errors of the driver. Those of sockets have the text of any other socket. */
const OUTAGE_MESSAGE =
  /^(Stream isn't writeable|Connection is closed\.|Command timed out|Reached the max retries|Redis did not respond in time)/;
const NETWORK_CODE = new RegExp(`^(${NETWORK_CODES})$`);

/** A connection to Redis could not be opened. It has the text of its cause, which alone could be of any connection. */
export class RedisConnectionError extends Error {
  constructor(cause: Error) {
    // Errors of several addresses of one name have no message.
    const reason = cause.message || String((cause as NodeJS.ErrnoException).code);
    super(cause.name === 'AbortError' ? 'Redis did not respond in time' : reason, { cause });
  }
}

/** True for errors of commands that fail because Redis is down, hangs, or refuses the login or every write. */
export function isRedisOutage(error: Error): boolean {
  const { message } = error;
  const isDown = error instanceof RedisConnectionError || OUTAGE_MESSAGE.test(message);
  return isDown || refusesAllWrites(message) || refusesLogin(message);
}

/** The same for errors that certainly come from a connection to Redis. */
export function isRedisConnectionOutage(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return isRedisOutage(error) || (typeof code === 'string' && NETWORK_CODE.test(code));
}

/** Says in our words what the driver's text means for an operator. */
export function redisOutageReason(message: string): string {
  if (/^(Command timed out|Redis did not respond)/.test(message)) return 'no response in time';
  if (/^(Stream|Connection is closed|Reached)/.test(message)) return 'the connection was lost';
  return refusalReason(message) ?? message;
}
