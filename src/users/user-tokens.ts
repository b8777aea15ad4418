import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../platform/clock/clock.js';
import { Database, type Sql } from '../platform/database/database.js';
import { hashOfToken, generateSecretToken } from './secret-token.js';
import type { TokenPurpose } from './token-purposes.js';

const HOUR_MS = 3_600_000;
/** Lifetime of a link that an invited user gets. */
export const INVITATION_MS = 7 * 24 * HOUR_MS;
/** Lifetime of a link that resets a password. */
export const RESET_MS = HOUR_MS;

/** Maximum number of links per user and purpose. Older ones end, except those that last longer than the new one. */
const MAX_TOKENS = 3;

/** Links of all users: a new one may neither wait for transactions of others nor take long because there are many. */
const DELETE_EXPIRED = `
delete from user_tokens where token_hash = any(array(
  select token_hash from user_tokens where expires_at < now() - interval '1 day' limit 1000 for update skip locked))`;

/** Links that work once. */
@Injectable()
export class UserTokens {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Returns the token, which is stored only as a hash. Strangers can request links that last an hour: these must not
   * end an invitation, which lasts for days.
   */
  async create(userId: string, purpose: TokenPurpose, lifetimeMs: number): Promise<string> {
    const { token, hash } = generateSecretToken();
    const expiresAt = new Date(this.clock.now() + lifetimeMs);
    await this.database.query(DELETE_EXPIRED);
    await this.database.query(
      `delete from user_tokens where token_hash = any(array(
         select token_hash from user_tokens where user_id = $1 and purpose = $2 and expires_at <= $3
          order by created_at desc offset $4))`,
      [userId, purpose, expiresAt, MAX_TOKENS - 1],
    );
    await this.database.query(
      'insert into user_tokens (token_hash, user_id, purpose, expires_at) values ($1, $2, $3, $4)',
      [hash, userId, purpose, expiresAt],
    );
    return token;
  }

  /**
   * Returns the ID of the user whose token it is, and deletes the token in the transaction: of two concurrent uses, one
   * waits and then finds nothing.
   */
  async use(sql: Sql, text: string, purpose: TokenPurpose): Promise<string | undefined> {
    const hash = hashOfToken(text);
    if (!hash) return undefined;
    const [used] = await sql.query<{ userId: string; expiresAt: Date }>(
      `delete from user_tokens where token_hash = $1 and purpose = $2
       returning user_id as "userId", expires_at as "expiresAt"`,
      [hash, purpose],
    );
    return used && used.expiresAt.getTime() > this.clock.now() ? used.userId : undefined;
  }

  /** Returns the ID of the user whose token it is, without using it. */
  async ownerOf(text: string, purpose: TokenPurpose): Promise<string | undefined> {
    const hash = hashOfToken(text);
    const [found] = hash
      ? await this.database.query<{ userId: string; expiresAt: Date }>(
          'select user_id as "userId", expires_at as "expiresAt" from user_tokens where token_hash = $1 and purpose = $2',
          [hash, purpose],
        )
      : [];
    return found && found.expiresAt.getTime() > this.clock.now() ? found.userId : undefined;
  }

  async endAllOf(sql: Sql, userId: string): Promise<void> {
    await sql.query('delete from user_tokens where user_id = $1', [userId]);
  }
}
