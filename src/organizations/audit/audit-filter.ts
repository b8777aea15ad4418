import { canonicalId } from '../../platform/clock/uuid-v7.js';
import { InvalidFieldError } from '../../platform/errors/domain-error.js';
import { isWellFormed } from '../../platform/http/storable-text.js';
import { readTime } from '../../platform/http/time-parameter.js';
import { AUDIT_ACTIONS, AUDIT_TARGETS, type AuditAction } from './audit-actions.js';
import { ACTOR_KINDS } from './record-audit.js';

/** A kind, or one item of that kind by its ID. */
interface KindAndId {
  readonly kind: string;
  readonly id: string | null;
}

/** The filter of a list of audit entries. */
export interface AuditFilter {
  readonly actor?: KindAndId;
  readonly action?: AuditAction;
  readonly target?: KindAndId;
  /** The earliest time, in milliseconds. */
  readonly since?: number;
  /** The end of the range, exclusive, in milliseconds. */
  readonly until?: number;
}

/** @throws InvalidFieldError for an invalid parameter */
export function readAuditFilter({ actor, action, target, since, until }: Record<string, unknown>): AuditFilter {
  return {
    ...(actor !== undefined && { actor: readActor(actor) }),
    ...(action !== undefined && { action: readAction(action) }),
    ...(target !== undefined && { target: readTarget(target) }),
    ...(since !== undefined && { since: readTime('since', since) }),
    ...(until !== undefined && { until: readTime('until', until) }),
  };
}

function readActor(value: unknown): KindAndId {
  const actor = readKindAndId('actor', value);
  if (ACTOR_KINDS.some((kind) => kind === actor.kind)) return actor;
  throw new InvalidFieldError('actor', `must be one of ${ACTOR_KINDS.join(', ')}, or one of them with an ID: key:ID`);
}

function readTarget(value: unknown): KindAndId {
  const target = readKindAndId('target', value);
  if (AUDIT_TARGETS.some((kind) => kind === target.kind)) return target;
  throw new InvalidFieldError(
    'target',
    `must be one of ${AUDIT_TARGETS.join(', ')}, or one of them with an ID: webhook:ID`,
  );
}

function readAction(value: unknown): AuditAction {
  const known = AUDIT_ACTIONS.find((action) => action === value);
  if (!known) throw new InvalidFieldError('action', `must be one of ${AUDIT_ACTIONS.join(', ')}`);
  return known;
}

/** `kind` or `kind:id`. */
function readKindAndId(field: string, value: unknown): KindAndId {
  const match = typeof value === 'string' && isWellFormed(value) ? /^([a-z-]+)(?::(.+))?$/s.exec(value) : null;
  if (!match) throw new InvalidFieldError(field, 'must be a kind like webhook, or a kind and an ID like webhook:ID');
  return { kind: match[1]!, id: match[2] === undefined ? null : canonicalId(match[2]) };
}
