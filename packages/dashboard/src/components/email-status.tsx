import { plural } from '../format';
import type { Email, EmailSummary } from '../types';
import { Badge } from './badge';

type States = EmailSummary['recipientStates'];

/** What can go wrong for a recipient, worst first. */
const BAD = ['complained', 'bounced', 'failed', 'suppressed', 'deferred'] as const;

interface Props {
  readonly status: Email['status'];
  readonly states: States;
}

/**
 * The status of an email, with the worst that became of a recipient. This replaces `sent`, which looks like success, if
 * nobody got the email.
 */
export function EmailStatus({ status, states }: Props) {
  const worst = BAD.find((state) => state in states);
  if (worst === undefined || worst === status) return <Badge state={status} />;
  const isForNobody = !('sent' in states) && !('delivered' in states) && !('pending' in states);
  const total = Object.values(states).reduce((sum, count) => sum + count, 0);
  return (
    <span title={total > 1 ? `${worst}: ${states[worst]} of ${plural(total, 'recipient')}` : undefined}>
      {!(status === 'sent' && isForNobody) && (
        <>
          <Badge state={status} />{' '}
        </>
      )}
      <Badge state={worst} />
    </span>
  );
}

/** The number of recipients in each state that occurs, as lists have it. */
export function statesOf(recipients: Email['recipients']): States {
  const states: Record<string, number> = {};
  for (const { state } of recipients) states[state] = (states[state] ?? 0) + 1;
  return states;
}
