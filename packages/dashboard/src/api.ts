import { Mailbeacon, MailbeaconError, type MailbeaconOptions } from '../../client/src/index';
import { Transport } from '../../client/src/transport';
import { organizationOfTab } from './organization-of-tab';

const OPTIONS: MailbeaconOptions = {
  url: '',
  /** Read for each request. */
  get headers() {
    const organization = organizationOfTab();
    return {
      // A page of another site cannot send this header: without it, the service refuses changes that use the cookie.
      'x-requested-with': 'mailbeacon-dashboard',
      ...(organization !== undefined && { 'x-organization': organization }),
    };
  },
};

export const client = new Mailbeacon(OPTIONS);

/** For routes that only people can use, which the client library omits because keys cannot use them. */
export const transport = new Transport(OPTIONS);

export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof MailbeaconError && error.status === status;
}

/**
 * True for a failure that says nothing about what was sent: the service was away, the session had ended, or the
 * organization was suspended.
 */
export function canPass(error: unknown): boolean {
  if (!(error instanceof MailbeaconError)) return false;
  return [0, 401, 429].includes(error.status) || error.status >= 500 || isOfSuspension(error);
}

/** Other refusals with this status stay. */
function isOfSuspension({ status, message }: MailbeaconError): boolean {
  return status === 403 && message.startsWith('This organization is suspended');
}
