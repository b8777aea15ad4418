import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import { authorOf } from '../../organizations/audit/record-audit.js';
import { CLOCK, type Clock } from '../../platform/clock/clock.js';
import { Database, type Sql } from '../../platform/database/database.js';
import { SecretBox } from '../../platform/encryption/secret-box.js';
import { sha256 } from '../../platform/encryption/secret-digest.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { Passwords } from '../passwords/passwords.js';
import { Sessions } from '../sessions/sessions.js';
import { WrongSecretError } from '../sign-in/sign-in-errors.js';
import { SecondFactor, totpOf } from './second-factor.js';
import { sealSecondFactor } from './second-factor-secret.js';
import { UserAccounts, type UserAccount } from '../user-accounts.js';

/** 160 bits, as RFC 4226 recommends. */
const SECRET_BYTES = 20;
/** How long a sign-in at the OpenID provider stands for a password. */
const RECENT_MS = 10 * 60_000;
const RECOVERY_CODES = 10;
/** 80 bits each, which cannot be guessed, so a plain hash is enough. */
const RECOVERY_CODE_BYTES = 10;

/** The data for an authenticator app. Only this response contains it. */
export interface SecondFactorSecret {
  /** Base32. */
  readonly secret: string;
  /** `otpauth://…`, for a QR code. */
  readonly uri: string;
}

class FactorExistsError extends DomainError {
  constructor() {
    super('conflict', 'There is a second factor already: remove it first');
  }
}

class NoFactorError extends DomainError {
  constructor() {
    super('conflict', 'There is no second factor to confirm or remove');
  }
}

class WrongCodeError extends WrongSecretError {
  constructor() {
    super('The code is wrong or was used before', 'code');
  }
}

class OldSessionError extends DomainError {
  constructor() {
    super('forbidden', 'Sign in again first: without a password, this works for 10 minutes after a sign-in');
  }
}

/** Lets users add a second factor to their account and remove it. A stolen session alone is not enough for either. */
@Injectable()
export class SecondFactors {
  constructor(
    private readonly database: Database,
    private readonly accounts: UserAccounts,
    private readonly passwords: Passwords,
    private readonly sessions: Sessions,
    private readonly factor: SecondFactor,
    private readonly box: SecretBox,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Stores a new secret, which takes effect once it is confirmed.
   * @throws FactorExistsError, WrongPasswordError, OldSessionError
   */
  async begin(caller: Caller, password: string | undefined): Promise<SecondFactorSecret> {
    const account = await this.accounts.get(caller.actor.id);
    await this.requireProof(caller, account, password);
    const { id } = account;
    const secret = randomBytes(SECRET_BYTES);
    const stored = await this.database.query(
      `update users set sealed_totp_secret = $2, totp_last_step = null
        where id = $1 and totp_confirmed_at is null returning id`,
      [id, sealSecondFactor(this.box, id, secret)],
    );
    if (stored.length === 0) throw new FactorExistsError();
    const totp = totpOf(secret, account.email);
    return { secret: totp.secret.base32, uri: totp.toString() };
  }

  /**
   * Turns the second factor on. All other sessions of the user end.
   * @returns recovery codes, each of which replaces a code once
   * @throws NoFactorError, WrongCodeError, InvalidSessionError
   */
  async confirm(caller: Caller, code: string): Promise<readonly string[]> {
    const { id } = caller.actor;
    const codes = Array.from({ length: RECOVERY_CODES }, () => randomBytes(RECOVERY_CODE_BYTES).toString('hex'));
    await this.database.transaction(async (sql) => {
      const [pending] = await sql.query<{ sealed: string }>(
        `select sealed_totp_secret as sealed from users
          where id = $1 and totp_confirmed_at is null and sealed_totp_secret is not null for update`,
        [id],
      );
      await this.sessions.requireOpen(sql, caller.session!.id);
      if (!pending) throw new NoFactorError();
      if (!(await this.factor.use(sql, id, pending.sealed, code))) throw new WrongCodeError();
      await sql.query('update users set totp_confirmed_at = now(), recovery_code_hashes = $2 where id = $1', [
        id,
        codes.map(sha256),
      ]);
      await sql.query('delete from sessions where user_id = $1 and id <> $2', [id, caller.session!.id]);
      await sql.query('update sessions set second_factor = true where user_id = $1', [id]);
      await this.record(sql, caller, true);
    });
    return codes.map((one) => one.replace(/.{5}(?=.)/g, '$&-'));
  }

  /** @throws NoFactorError, WrongPasswordError, OldSessionError, WrongCodeError, InvalidSessionError */
  async remove(caller: Caller, password: string | undefined, code: string): Promise<void> {
    const account = await this.accounts.get(caller.actor.id);
    if (account.sealedTotpSecret === null) throw new NoFactorError();
    await this.requireProof(caller, account, password);
    await this.database.transaction(async (sql) => {
      // While the password was checked, the session may have ended, or the user may have replaced the factor.
      const { id, sealedTotpSecret } = await this.accounts.lock(sql, account.id);
      await this.sessions.requireOpen(sql, caller.session!.id);
      if (sealedTotpSecret === null) throw new NoFactorError();
      if (!(await this.factor.use(sql, id, sealedTotpSecret, code))) throw new WrongCodeError();
      await sql.query(
        `update users set sealed_totp_secret = null, totp_confirmed_at = null, totp_last_step = null,
                recovery_code_hashes = '{}' where id = $1`,
        [id],
      );
      await this.record(sql, caller, false);
    });
  }

  /** Users who sign in only at the OpenID provider have no password: they must have signed in recently. */
  private async requireProof(caller: Caller, account: UserAccount, password: string | undefined): Promise<void> {
    if (account.passwordHash !== null) return this.passwords.require(account, password ?? '');
    const recent = await this.database.query('select id from sessions where id = $1 and created_at > $2', [
      caller.session!.id,
      new Date(this.clock.now() - RECENT_MS),
    ]);
    if (recent.length === 0) throw new OldSessionError();
  }

  private async record(sql: Sql, caller: Caller, isOn: boolean): Promise<void> {
    const { id } = caller.actor;
    const change = {
      action: 'user.second-factor-changed',
      target: { kind: 'user', id },
      details: { on: isOn },
    } as const;
    await this.accounts.audit(sql, id, { ...authorOf(caller), ...change });
  }
}
