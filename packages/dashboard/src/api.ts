import { Mailbeacon, MailbeaconError, type MailbeaconOptions } from '../../client/src/index';

/** A page of another site cannot send the header: the service refuses changes by the cookie without it. */
export const OPTIONS: MailbeaconOptions = { url: '', headers: { 'x-requested-with': 'mailbeacon-dashboard' } };

export const client = new Mailbeacon(OPTIONS);

export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof MailbeaconError && error.status === status;
}
