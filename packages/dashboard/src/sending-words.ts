import { formatCount } from './format';
import type { Provider, SendingState } from './types';

/** A description of a state, with advice. */
interface Words {
  readonly badge: string;
  readonly tone: 'good' | 'warn' | 'bad' | 'plain';
  readonly meaning: string;
  readonly todo?: string;
}

const CLEAN_LIST =
  'Find out where the addresses come from, remove those that bounce, and write only to people who asked for your mail.';

/** The consequences of bounces and complaints. */
export function guardWords({ state, emailsPerMinute }: SendingState): Words {
  switch (state) {
    case 'normal':
      return { badge: 'normal', tone: 'good', meaning: 'Mail is sent as usual.' };
    case 'warned':
      return {
        ...{ badge: 'warned', tone: 'warn', todo: CLEAN_LIST },
        meaning: 'Mail is still sent at full speed, but it is close to being slowed down.',
      };
    case 'slowed':
      return {
        ...{ badge: 'slowed', tone: 'warn', todo: `${CLEAN_LIST} The limit ends automatically when the rates fall.` },
        meaning: `Only ${formatCount(emailsPerMinute ?? 0)} emails a minute are sent; the others wait.`,
      };
    case 'paused':
      return {
        ...{ badge: 'paused', tone: 'bad' },
        meaning: 'No mail is sent: new emails are refused, and those in the queue wait.',
        todo: `${CLEAN_LIST} Then ask your operator to resume sending.`,
      };
  }
}

/** The state of the provider: the organization's own one, or else that of the service. */
export function providerWords({ state }: SendingState['provider']): Words {
  switch (state) {
    case 'available':
      return { badge: 'available', tone: 'good', meaning: 'The email provider takes mail.' };
    case 'throttled':
      return {
        ...{
          badge: 'throttled',
          tone: 'warn',
          todo: 'You do not need to do anything: emails wait and are then sent automatically.',
        },
        meaning: 'The email provider asked for a pause.',
      };
    case 'credential-refused':
      return {
        ...{ badge: 'credential refused', tone: 'bad' },
        meaning: 'The email provider refuses its credentials.',
        todo: 'If it is your own, replace its credentials under Providers; otherwise ask your operator to. Emails are then sent automatically; those that waited for 24 hours fail.',
      };
    case 'failing':
      return {
        ...{ badge: 'provider failing', tone: 'bad' },
        meaning: 'The email provider leaves open whether it accepts emails.',
        todo: 'You do not need to do anything: single emails find out when it works again, and the others are sent then.',
      };
    case 'unknown':
      return {
        ...{ badge: 'unknown', tone: 'plain' },
        meaning: 'The state of the email provider is not known at the moment.',
        todo: 'You do not need to do anything: emails are stored and sent as soon as possible.',
      };
  }
}

interface PauseWords {
  /** A sentence without its beginning, “the provider”. */
  readonly why: string;
  readonly todo: string;
}

/** Why an organization's own provider gets no mail; undefined while it gets some. */
export function pauseWords(state: Provider['state']): PauseWords | undefined {
  switch (state) {
    case 'throttled':
      return { why: 'asked for a pause', todo: 'You do not need to do anything.' };
    case 'credential-refused':
      return { why: 'refuses the credentials', todo: 'Change them, and it is tried again at once.' };
    case 'failing':
      return {
        why: 'leaves open whether it accepts emails',
        todo: 'You do not need to do anything: single emails find out when it works again.',
      };
    case 'available':
    case 'unknown':
      return undefined;
  }
}
