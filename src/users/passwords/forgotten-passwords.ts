import { Inject, Injectable } from '@nestjs/common';
import { clientNetwork } from '../../platform/addresses/client-network.js';
import { sha256 } from '../../platform/encryption/secret-digest.js';
import { errorFields } from '../../platform/logging/error-fields.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { TooManyRequestsError } from '../../platform/http/too-many-requests-error.js';
import { AccountMail } from '../account-mail.js';
import { SignInLimits } from '../sign-in/sign-in-limits.js';
import { UserAccounts } from '../user-accounts.js';
import { RESET_MS, UserTokens } from '../user-tokens.js';

const HOUR_MS = 3_600_000;
const PER_NETWORK = { tokens: 30, windowMs: HOUR_MS };
const PER_ACCOUNT = { tokens: 3, windowMs: HOUR_MS };

/** Sends links that set a new password. */
@Injectable()
export class ForgottenPasswords {
  constructor(
    private readonly accounts: UserAccounts,
    private readonly tokens: UserTokens,
    private readonly mail: AccountMail,
    private readonly limits: SignInLimits,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Takes the same time and responds the same whether or not the user exists: the work happens afterwards.
   * @param email in lower case
   * @throws TooManyRequestsError for the network
   */
  async request(email: string, networkAddress: string): Promise<void> {
    await this.limits.take(`reset-network:${clientNetwork(networkAddress)}`, PER_NETWORK);
    this.send(email).catch((error: unknown) => {
      // Another person may have requested links for the account, which must not be visible.
      if (error instanceof TooManyRequestsError) return;
      this.logger.error({ reason: errorFields(error).message }, 'A link for a forgotten password could not be sent');
    });
  }

  private async send(email: string): Promise<void> {
    if (!this.mail.isOn) return;
    const account = await this.accounts.find(email);
    if (!account) return;
    await this.limits.take(`reset:${sha256(email).toString('base64url')}`, PER_ACCOUNT);
    await this.mail.reset(email, await this.tokens.create(account.id, 'password', RESET_MS));
  }
}
