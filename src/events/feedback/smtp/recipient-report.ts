import type { RecipientEvent } from '../../recipient-event.js';

/** A notification's report about one recipient. */
export interface RecipientReport extends Pick<RecipientEvent, 'fact' | 'bounce' | 'smtpStatus' | 'reason'> {
  /** The address that it names, if any. */
  readonly address?: string;
}
