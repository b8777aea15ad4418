import { Mailbeacon, MailbeaconError, type MailbeaconOptions } from '../../client/src/index';
import { Transport } from '../../client/src/transport';

/** A page of another site cannot send the header: the service refuses changes by the cookie without it. */
const OPTIONS: MailbeaconOptions = { url: '', headers: { 'x-requested-with': 'mailbeacon-dashboard' } };

export const client = new Mailbeacon(OPTIONS);

/** For routes of people, which are no part of the client library because keys cannot use them. */
export const transport = new Transport(OPTIONS);

export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof MailbeaconError && error.status === status;
}
