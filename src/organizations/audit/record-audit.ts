import { userInfo } from 'node:os';
import { canonicalId, uuidV7 } from '../../platform/clock/uuid-v7.js';
import type { Sql } from '../../platform/database/database.js';
import type { Caller } from '../api-key-authenticator.js';
import type { AuditAction, AuditTarget } from './audit-actions.js';

export const ACTOR_KINDS = ['key', 'user', 'operator'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

/** Who makes a change, and in which request. */
export interface Author<Organization extends string | null = string> {
  /** Null for an operator's change to the whole installation. */
  readonly organizationId: Organization;
  readonly actor: { readonly kind: ActorKind; readonly id: string };
  /** Null outside of requests. */
  readonly requestId: string | null;
  /** The session of a signed-in user. */
  readonly sessionId?: string;
}

/** The action and its target. */
export interface AuditedChange {
  readonly action: AuditAction;
  /** Entries outlive what they are about and the erasure of people: no email address, no secret. */
  readonly target: { readonly kind: AuditTarget; readonly id: string | null };
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The caller of a request as an author. */
export function authorOf({ organizationId, actor, requestId, session }: Caller): Author {
  return { organizationId, actor, requestId: requestId ?? null, ...(session && { sessionId: session.id }) };
}

/**
 * The person at the command line as an author.
 * @param organizationId the organization that the change is about, if any
 */
export function operatorOf<Organization extends string | null>(organizationId: Organization): Author<Organization> {
  return { organizationId, actor: { kind: 'operator', id: operatorName() }, requestId: null };
}

export const AuditLog = {
  /**
   * Stores an audit entry.
   * @param sql the transaction of the change, so that neither is stored without the other
   */
  async record(
    sql: Sql,
    { organizationId, actor, requestId, action, target, details }: Author<string | null> & AuditedChange,
  ) {
    await sql.query(
      `insert into audit_entries (id, organization_id, actor_kind, actor_id, action, target_kind, target_id, request_id, details)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        uuidV7(Date.now()),
        organizationId,
        actor.kind,
        actor.id,
        action,
        target.kind,
        // As in the URL of the request, perhaps in upper case, and the filter compares text.
        target.id && canonicalId(target.id),
        requestId,
        details ?? null,
      ],
    );
  },
};

/** A user ID without an entry in the password file, as in containers, has no name. */
function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
