import { Inject, Injectable } from '@nestjs/common';
import { InvalidSessionError } from '../../organizations/access-errors.js';
import { CLOCK, type Clock } from '../../platform/clock/clock.js';
import { uuidV7 } from '../../platform/clock/uuid-v7.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { Database, type Sql, type Transaction } from '../../platform/database/database.js';
import { hashOfToken, generateSecretToken } from '../secret-token.js';

/** Maximum number of sessions per user. Beyond it, the oldest ends. */
const MAX_SESSIONS = 50;
const DAY_SECONDS = 86_400;

/** Sessions of all users: no sign-in may wait for transactions of others, nor take long because there are many. */
const DELETE_EXPIRED = `
delete from sessions where id = any(array(
  select id from sessions where expires_at < now() - interval '1 day' limit 1000 for update skip locked))`;

/** A new session, whose token goes into the cookie. */
export interface NewSession {
  readonly id: string;
  readonly token: string;
  readonly maxAgeSeconds: number;
}

/** Sessions of signed-in users. Other processes notice the end of one within 3 seconds. */
@Injectable()
export class Sessions {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Always creates a new token, so that no one can choose it for another user (session fixation).
   * @param secondFactor whether the sign-in needed a code
   */
  async create(
    sql: Sql,
    userId: string,
    secondFactor: boolean,
    organizationId: string | null = null,
  ): Promise<NewSession> {
    const { token, hash } = generateSecretToken();
    const now = this.clock.now();
    const id = uuidV7(now);
    const maxAgeSeconds = this.settings.SESSION_DAYS * DAY_SECONDS;
    await sql.query(DELETE_EXPIRED, []);
    await sql.query(
      `delete from sessions where user_id = $1 and id not in (
         select id from sessions where user_id = $1 order by created_at desc, id desc limit $2)`,
      [userId, MAX_SESSIONS - 1],
    );
    await sql.query(
      `insert into sessions (id, token_hash, user_id, organization_id, second_factor, created_at, last_seen_at, expires_at)
       values ($1, $2, $3, $4, $5, $6, $6, $7)`,
      [id, hash, userId, organizationId, secondFactor, new Date(now), new Date(now + maxAgeSeconds * 1000)],
    );
    return { id, token, maxAgeSeconds };
  }

  /** Ends the session of a cookie. @returns undefined if there is none */
  async end(sql: Sql, token: string): Promise<{ readonly id: string; readonly userId: string } | undefined> {
    const [ended] = await sql.query<{ id: string; userId: string }>(
      'delete from sessions where token_hash = $1 returning id, user_id as "userId"',
      [hashOfToken(token) ?? null],
    );
    return ended;
  }

  /**
   * For changes that would outlive the session: processes know one that has ended for seconds.
   * @param sql a transaction that has locked the user
   * @throws InvalidSessionError
   */
  async requireOpen(sql: Transaction, sessionId: string): Promise<void> {
    const [open] = await sql.query('select id from sessions where id = $1', [sessionId]);
    if (!open) throw new InvalidSessionError();
  }

  async endAllOf(sql: Sql, userId: string): Promise<void> {
    await sql.query('delete from sessions where user_id = $1', [userId]);
  }

  /** Requests without a header that names an organization then apply to this one. The user must be in it. */
  async choose(sessionId: string, organizationId: string): Promise<void> {
    await this.database.query('update sessions set organization_id = $2 where id = $1', [sessionId, organizationId]);
  }
}
