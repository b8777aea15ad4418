import { operatorOf } from '../organizations/audit/record-audit.js';
import type { Database } from '../platform/database/database.js';
import type { UserAccounts } from './user-accounts.js';

/**
 * Resets a user's account, by an operator: ends its sessions and links, and removes its password and its link to the
 * account at the OpenID provider. The next sign-in there with the user's address makes that link again.
 * @param alsoFactor true to remove the second factor as well
 */
export async function resetAccount(
  database: Database,
  accounts: UserAccounts,
  userId: string,
  alsoFactor: boolean,
): Promise<void> {
  await database.transaction(async (sql) => {
    await sql.query(
      `update users set password_hash = null, oidc_subject = null,
              sealed_totp_secret = case when not $2 then sealed_totp_secret end,
              totp_confirmed_at = case when not $2 then totp_confirmed_at end,
              totp_last_step = case when not $2 then totp_last_step end,
              recovery_code_hashes = case when $2 then '{}' else recovery_code_hashes end
        where id = $1`,
      [userId, alsoFactor],
    );
    await sql.query('delete from sessions where user_id = $1', [userId]);
    await sql.query('delete from user_tokens where user_id = $1', [userId]);
    const details = { by: 'reset', secondFactor: alsoFactor };
    const target = { kind: 'user', id: userId } as const;
    await accounts.audit(sql, userId, { ...operatorOf(null), action: 'user.password-changed', target, details });
  });
}
