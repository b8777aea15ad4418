import { Link } from 'wouter-preact';
import { shownName } from '../shown-name';
import type { EmailSummary } from '../types';
import { Clipped } from './clipped';
import { EmailStatus } from './email-status';
import type { Column } from './list-rows';

/** The first columns of each list of emails. */
export const EMAIL_COLUMNS: readonly Column<
  Pick<EmailSummary, 'id' | 'status' | 'recipientStates' | 'recipient' | 'subject'>
>[] = [
  { name: 'Status', show: ({ status, recipientStates }) => <EmailStatus status={status} states={recipientStates} /> },
  { name: 'To', show: ({ recipient }) => <Clipped text={recipient} /> },
  {
    name: 'Subject',
    isWide: true,
    show: ({ id, subject }) => (
      <Link class="title" dir="auto" href={`/emails/${id}`} title={subject}>
        {shownName(subject)}
      </Link>
    ),
  },
];
