import { readableReason } from '../../../providers/failure-reason.js';
import { enhancedStatusOf } from '../../../providers/enhanced-status.js';
import { bounceKindOf } from '../bounce-kind.js';
import { addressIn, readFieldGroups, type FieldGroup } from './field-groups.js';
import type { RecipientReport } from './recipient-report.js';

/** A status that names no cause, such as 5.0.0. */
const GENERAL_STATUS = /^[245]\.0\.0$/;

/** Reads the content of a `message/delivery-status` part (RFC 3464): one report for each recipient. */
export function readDeliveryStatus(content: string): readonly RecipientReport[] {
  return readFieldGroups(content).flatMap((group) => {
    const report = readRecipientFields(group);
    return report ? [report] : [];
  });
}

function readRecipientFields(group: FieldGroup): RecipientReport | undefined {
  const meaning = meaningOf(group.get('action'));
  if (meaning === undefined) return undefined;
  // The original address is the one we sent to. The final one may be an address to which the recipient's server
  // forwards.
  const address = addressIn(group.get('original-recipient')) ?? addressIn(group.get('final-recipient'));
  const diagnostic = group.get('diagnostic-code')?.replace(/^[\w-]+\s*;\s*/, '') ?? '';
  const smtpStatus = statusOf(group.get('status') ?? '', diagnostic);
  const reason = readableReason(diagnostic);
  return {
    ...(address !== undefined && { address }),
    fact: meaning,
    ...(meaning === 'bounced' && { bounce: (smtpStatus && bounceKindOf(smtpStatus)) || 'soft' }),
    ...(smtpStatus !== undefined && { smtpStatus }),
    ...(reason !== '' && { reason }),
  };
}

/**
 * The meaning of the `Action` field (RFC 3464, 2.3.3). Another server accepted a relayed message, and no more reports
 * follow.
 */
function meaningOf(action = ''): RecipientReport['fact'] | undefined {
  switch (/^[a-z]*/.exec(action.toLowerCase())?.[0]) {
    case 'failed':
      return 'bounced';
    case 'delayed':
      return 'deferred';
    case 'delivered':
    case 'relayed':
      return 'delivered';
    case 'expanded':
      return 'noted';
    default:
      return undefined;
  }
}

/** Some servers report 5.0.0 although the quoted reply has a specific code. */
function statusOf(status: string, diagnostic: string): string | undefined {
  const reported = enhancedStatusOf(status);
  if (reported !== undefined && !GENERAL_STATUS.test(reported)) return reported;
  return enhancedStatusOf(diagnostic) ?? reported;
}
