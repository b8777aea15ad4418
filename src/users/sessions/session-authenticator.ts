import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import { NO_LIMITS } from '../../organizations/key-limits.js';
import { CLOCK, MONOTONIC_CLOCK, type Clock } from '../../platform/clock/clock.js';
import { isUuid } from '../../platform/clock/uuid-v7.js';
import { Database } from '../../platform/database/database.js';
import { LookupBatch } from '../../platform/database/lookup-batch.js';
import { LookupCache } from '../../platform/database/lookup-cache.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { hashOfToken } from '../secret-token.js';
import { SessionCookies } from './session-cookies.js';
import { scopesOf, type UserRole } from '../user-roles.js';

/** Names the organization that a request is about, for users of several. */
const ORGANIZATION_HEADER = 'x-organization';
/** The same for an address that a browser opens, such as that of a frame, because it sends no such header. */
const ORGANIZATION_PARAMETER = 'organization';

/** Shorter than the 5 seconds after which an ended session must be refused everywhere. */
const CACHE_MS = 3_000;
const MAX_CACHED_SESSIONS = 10_000;
const SEEN_INTERVAL_MS = 5 * 60_000;
const IDLE_MS = 7 * 86_400_000;

/** The session is valid, but not for the organization that the request names. */
export class NotAMemberError extends DomainError {
  constructor() {
    super('forbidden', `You are not in the organization that the header ${ORGANIZATION_HEADER} names`);
  }
}

/** The same for a request that was admitted before: it may have named no organization. */
class FormerMemberError extends DomainError {
  constructor() {
    super('forbidden', 'You are no longer in this organization');
  }
}

interface SessionRow {
  readonly key: string;
  readonly id: string;
  readonly userId: string;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  /** Null for a user without an organization, or not in the one that the request names. */
  readonly organizationId: string | null;
  /** True if the user has further organizations. */
  readonly hasOthers: boolean;
  readonly role: UserRole;
  /** False until a session of the user first applies to the organization. */
  joined: boolean;
  readonly plan: string;
  readonly pauseReason: string | null;
  readonly suspended: boolean;
}

/** Finds the session of a request's cookie. Caches sessions for a few seconds, as API keys. */
@Injectable()
export class SessionAuthenticator {
  private readonly cache: LookupCache<SessionRow | undefined>;
  private readonly batch = new LookupBatch((keys) => this.read(keys));

  constructor(
    private readonly database: Database,
    private readonly cookies: SessionCookies,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(MONOTONIC_CLOCK) monotonicClock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.cache = new LookupCache(monotonicClock, CACHE_MS, MAX_CACHED_SESSIONS);
  }

  /** True if the request has a session cookie, whether or not it is valid. */
  hasCookie(request: Pick<FastifyRequest, 'headers'>): boolean {
    return this.cookies.read(request, 'session') !== undefined;
  }

  /**
   * Returns undefined when the session is unknown or has ended.
   * @param isSuspect true for a cookie that is probably a guess: its query is batched, which takes longer
   * @param organizationId for which the request was admitted before, instead of the one that it names or that the user
   *   has chosen
   * @throws NotAMemberError, FormerMemberError
   */
  async identify(
    request: Pick<FastifyRequest, 'headers' | 'query'>,
    isSuspect: boolean,
    organizationId?: string,
  ): Promise<Caller | undefined> {
    const hash = hashOfToken(this.cookies.read(request, 'session') ?? '')?.toString('hex');
    if (hash === undefined) return undefined;
    const { [ORGANIZATION_PARAMETER]: parameter } = request.query as Readonly<Record<string, unknown>>;
    const named = organizationId ?? request.headers[ORGANIZATION_HEADER] ?? parameter;
    if (named !== undefined && (typeof named !== 'string' || !isUuid(named))) throw new NotAMemberError();
    const key = `${hash} ${named ?? ''}`;
    const lookUp = async () => (isSuspect ? this.batch.find(key) : (await this.read([key])).get(key));
    // One session can name any number of organizations, which must not push other sessions out. The organization that a
    // user has chosen applies to the next request in every process: a change must not end up in the one before.
    const isKept = (row: SessionRow | undefined): boolean =>
      row?.organizationId !== null && (named !== undefined || row?.hasOthers !== true);
    const found = await this.cache.find(key, lookUp, isKept);
    if (!found || !this.isAlive(found)) return undefined;
    if (found.organizationId === null) {
      if (organizationId !== undefined) throw new FormerMemberError();
      if (named !== undefined) throw new NotAMemberError();
      return undefined;
    }
    this.recordSeen(found);
    if (!found.joined) this.recordJoined(found);
    const { id, userId, role, plan, pauseReason, suspended } = found;
    return {
      ...NO_LIMITS,
      ...{ organizationId: found.organizationId, plan, pauseReason, suspended },
      actor: { kind: 'user', id: userId },
      session: { id, role },
      scopes: scopesOf(role),
    };
  }

  private isAlive({ expiresAt, lastSeenAt }: SessionRow): boolean {
    const now = this.clock.now();
    return expiresAt.getTime() > now && lastSeenAt.getTime() + IDLE_MS > now;
  }

  /** Stores the use of a session now and then. Does not delay the request. */
  private recordSeen({ id, lastSeenAt }: SessionRow): void {
    const now = this.clock.now();
    if (now - lastSeenAt.getTime() < SEEN_INTERVAL_MS) return;
    lastSeenAt.setTime(now);
    this.database
      .query('update sessions set last_seen_at = $2 where id = $1', [id, new Date(now)])
      .catch((error: unknown) => this.logger.warn({ err: error }, 'The last use of a session could not be stored'));
  }

  private recordJoined(session: SessionRow): void {
    session.joined = true;
    this.database
      .query(
        'update memberships set joined_at = now() where user_id = $1 and organization_id = $2 and joined_at is null',
        [session.userId, session.organizationId],
      )
      .catch((error: unknown) => this.logger.warn({ err: error }, 'Could not record when a user joined'));
  }

  /** @param keys hashes of tokens in hex, each with the ID of an organization or nothing */
  private async read(keys: readonly string[]): Promise<ReadonlyMap<string, SessionRow>> {
    const parts = keys.map((key) => key.split(' ') as [string, string]);
    const rows = await this.database.prepared<SessionRow>(
      'find-sessions',
      `select a.key, s.id, s.user_id as "userId", s.last_seen_at as "lastSeenAt", s.expires_at as "expiresAt",
              m.organization_id as "organizationId", m.role, m.joined_at is not null as joined, o.plan,
              exists (select from memberships other where other.user_id = s.user_id
                         and other.organization_id <> m.organization_id) as "hasOthers",
              g.reason as "pauseReason", coalesce(g.suspended, false) as suspended
         from unnest($1::text[], $2::text[], $3::text[]) as a (key, hash, organization_id)
         join sessions s on s.token_hash = decode(a.hash, 'hex')
         join users u on u.id = s.user_id and (s.second_factor or u.totp_confirmed_at is null)
         left join lateral (
           select m.organization_id, m.role, m.joined_at from memberships m
            where m.user_id = s.user_id and (a.organization_id = '' or m.organization_id::text = a.organization_id)
            order by m.organization_id = s.organization_id desc nulls last, m.joined_at is null, m.created_at,
                     m.organization_id
            limit 1) m on true
         left join organizations o on o.id = m.organization_id
         left join sending_guards g on g.organization_id = m.organization_id and g.state = 'paused'`,
      [keys, parts.map(([hash]) => hash), parts.map(([, organizationId]) => organizationId.toLowerCase())],
    );
    return new Map(rows.map((row) => [row.key, row]));
  }
}
