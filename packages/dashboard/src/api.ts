import { Mailbeacon, MailbeaconError, type MailbeaconOptions } from '../../client/src/index';
import { Transport } from '../../client/src/transport';

/** A page of another site cannot send this header: without it, the service refuses changes that use the cookie. */
const OPTIONS: MailbeaconOptions = { url: '', headers: { 'x-requested-with': 'mailbeacon-dashboard' } };

export const client = new Mailbeacon(OPTIONS);

/** For routes that only people can use, which the client library omits because keys cannot use them. */
export const transport = new Transport(OPTIONS);

export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof MailbeaconError && error.status === status;
}
