import { Inject, Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import { sha256 } from '../platform/encryption/secret-digest.js';
import { errorFields } from '../platform/logging/error-fields.js';
import { LOGGER, type Logger } from '../platform/logging/logger.js';
import { AccountMail } from './account-mail.js';
import type { Author } from '../organizations/audit/record-audit.js';
import { People } from './people.js';
import { SignInLimits } from './sign-in/sign-in-limits.js';
import type { UserRole } from './user-roles.js';
import { INVITATION_MS, UserTokens } from './user-tokens.js';

/** Limited, because with invitations owners can send mail to strangers. */
const PER_ORGANIZATION = { tokens: 20, windowMs: 3_600_000 };
/** Of all organizations together: someone who is removed and invited again and again gets no more mail. */
const PER_ADDRESS = { tokens: 5, windowMs: 86_400_000 };

/** Adds people to organizations and notifies them by mail. */
@Injectable()
export class Invitations {
  constructor(
    private readonly database: Database,
    private readonly people: People,
    private readonly tokens: UserTokens,
    private readonly mail: AccountMail,
    private readonly limits: SignInLimits,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * The link to set a password goes to the mailbox only: an owner who had it could sign in as that user, who may be in
   * other organizations later.
   * @param email in lower case
   * @returns `mailed` is false if users get no mail, or if this one could not be accepted: the user is added either way
   */
  async invite(author: Author, email: string, role: UserRole): Promise<{ id: string; mailed: boolean }> {
    await this.limits.take(`invitations:${author.organizationId}`, PER_ORGANIZATION);
    const { id, passwordHash } = await this.people.add(author, email, role);
    if (!this.mail.isOn) return { id, mailed: false };
    try {
      await this.notify(author.organizationId, { id, email, hasPassword: passwordHash !== null });
      return { id, mailed: true };
    } catch (error) {
      this.logger.warn(
        { reason: errorFields(error).message, userId: id },
        'Could not mail an invitation; the user was added without it',
      );
      return { id, mailed: false };
    }
  }

  /** @throws TooManyRequestsError when the address got too many invitations */
  private async notify(
    organizationId: string,
    { id, email, hasPassword }: { readonly id: string; readonly email: string; readonly hasPassword: boolean },
  ): Promise<void> {
    await this.limits.take(`invited:${sha256(email).toString('base64url')}`, PER_ADDRESS);
    const [organization] = await this.database.query<{ name: string }>('select name from organizations where id = $1', [
      organizationId,
    ]);
    const token = hasPassword ? undefined : await this.tokens.create(id, 'password', INVITATION_MS);
    await this.mail.invite(email, organization?.name ?? '', token);
  }
}
