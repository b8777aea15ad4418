import { Inject, Injectable } from '@nestjs/common';
import { SendEmail } from '../emails/accept/send-email.js';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { NO_LIMITS } from '../organizations/key-limits.js';
import { SETTINGS, type RunSettings } from '../platform/config/settings.js';
import { Database } from '../platform/database/database.js';
import { dashboardUrl, passwordLink } from './dashboard-url.js';

/**
 * Mail to users about their accounts, sent by our own pipeline as mail of the organization that USER_MAIL_ORGANIZATION
 * names. Text only: links in text are not tracked, so that no redirect and no campaign sees a token.
 */
@Injectable()
export class AccountMail {
  private readonly dashboard: string;

  constructor(
    private readonly database: Database,
    private readonly emails: SendEmail,
    @Inject(SETTINGS) private readonly settings: RunSettings,
  ) {
    this.dashboard = dashboardUrl(settings);
  }

  /** False if links are only printed by the command line. */
  get isOn(): boolean {
    return this.settings.USER_MAIL_ORGANIZATION !== undefined;
  }

  /** @param token sets the first password; undefined for a user who has one */
  invite(email: string, organization: string, token: string | undefined): Promise<void> {
    const link = token === undefined ? `${this.dashboard}/sign-in` : passwordLink(this.dashboard, token);
    const ask = token === undefined ? 'Sign in' : 'Set your password within 7 days';
    return this.send(email, 'You are invited', `You can now sign in to ${organization}.\n\n${ask}:\n${link}\n`);
  }

  reset(email: string, token: string): Promise<void> {
    const link = passwordLink(this.dashboard, token);
    const text = `Set a new password within an hour:\n${link}\n\nIf you did not ask for it, ignore this email.\n`;
    return this.send(email, 'Set a new password', text);
  }

  private async send(to: string, subject: string, textContent: string): Promise<void> {
    const { USER_MAIL_FROM, PLATFORM_SENDING_DOMAIN } = this.settings;
    const from = USER_MAIL_FROM ?? `Mailbeacon <no-reply@${PLATFORM_SENDING_DOMAIN}>`;
    const message = { from, to, subject, textContent, headers: null, attachments: [] };
    await this.emails.send(await this.sender(), message, 0);
  }

  private async sender(): Promise<Caller> {
    const organizationId = this.settings.USER_MAIL_ORGANIZATION!;
    const [organization] = await this.database.query<{ plan: string }>('select plan from organizations where id = $1', [
      organizationId,
    ]);
    if (!organization) throw new Error('USER_MAIL_ORGANIZATION names no organization');
    return {
      ...NO_LIMITS,
      ...{ organizationId, plan: organization.plan, pauseReason: null, suspended: false },
      actor: { kind: 'user', id: 'mailbeacon' },
    };
  }
}
