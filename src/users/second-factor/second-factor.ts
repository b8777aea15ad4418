import { Inject, Injectable } from '@nestjs/common';
import { Secret, TOTP } from 'otpauth';
import { CLOCK, type Clock } from '../../platform/clock/clock.js';
import type { Sql } from '../../platform/database/database.js';
import { SecretBox } from '../../platform/encryption/secret-box.js';
import { sha256 } from '../../platform/encryption/secret-digest.js';
import { openSecondFactor } from './second-factor-secret.js';

const ISSUER = 'Mailbeacon';
const STEP_MS = 30_000;
/** Codes of the previous and next step also count, because clocks differ (RFC 6238, 5.2). */
const WINDOW = 1;
const CODE = /^\d{6}$/;

/** Checks codes of authenticator apps, and recovery codes. No code works twice. */
@Injectable()
export class SecondFactor {
  constructor(
    private readonly box: SecretBox,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Uses up the code if it is correct. @param text the user's input, perhaps with spaces */
  async use(sql: Sql, userId: string, sealedSecret: string, text: string): Promise<boolean> {
    const code = text.replace(/[\s-]/g, '').toLowerCase();
    if (!CODE.test(code)) return this.useRecoveryCode(sql, userId, code);
    const step = this.stepOf(userId, sealedSecret, code);
    if (step === undefined) return false;
    const [used] = await sql.query(
      `update users set totp_last_step = $2 where id = $1 and (totp_last_step is null or totp_last_step < $2)
       returning id`,
      [userId, step],
    );
    return used !== undefined;
  }

  private async useRecoveryCode(sql: Sql, userId: string, code: string): Promise<boolean> {
    const [used] = await sql.query(
      `update users set recovery_code_hashes = array_remove(recovery_code_hashes, $2::bytea)
        where id = $1 and $2::bytea = any(recovery_code_hashes) returning id`,
      [userId, sha256(code)],
    );
    return used !== undefined;
  }

  private stepOf(userId: string, sealedSecret: string, token: string): number | undefined {
    const timestamp = this.clock.now();
    const totp = totpOf(openSecondFactor(this.box, userId, sealedSecret));
    const delta = totp.validate({ token, timestamp, window: WINDOW });
    return delta === null ? undefined : Math.floor(timestamp / STEP_MS) + delta;
  }
}

/** SHA-1, six digits and 30 seconds, which every authenticator app supports. */
export function totpOf(secret: Buffer, label = 'user'): TOTP {
  const bytes = new Uint8Array(secret).buffer;
  return new TOTP({ issuer: ISSUER, label, secret: new Secret({ buffer: bytes }), period: STEP_MS / 1000, digits: 6 });
}
