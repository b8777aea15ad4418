import { Module } from '@nestjs/common';
import { EmailsModule } from '../emails/emails.module.js';
import { AccountMail } from './account-mail.js';
import { ForgottenPasswords } from './passwords/forgotten-passwords.js';
import { Invitations } from './invitations.js';
import { KnownDevices } from './sign-in/known-devices.js';
import { OidcCheck } from './oidc/oidc-check.js';
import { OidcClient } from './oidc/oidc-client.js';
import { OidcCookie } from './oidc/oidc-cookie.js';
import { SplitTokens } from './oidc/split-tokens.js';
import { OidcController } from './oidc/oidc.controller.js';
import { OidcSignIn } from './oidc/oidc-sign-in.js';
import { OwnAccounts } from './own-accounts.js';
import { PasswordHashing } from './passwords/password-hashing.js';
import { Passwords } from './passwords/passwords.js';
import { People } from './people.js';
import { SecondFactorController } from './second-factor/second-factor.controller.js';
import { SecondFactors } from './second-factor/second-factors.js';
import { SecondFactor } from './second-factor/second-factor.js';
import { SessionController } from './sessions/session.controller.js';
import { SessionOpening } from './sessions/session-opening.js';
import { SessionResponses } from './sessions/session-responses.js';
import { SessionViews } from './sessions/session-view.js';
import { SessionsModule } from './sessions/sessions.module.js';
import { SignIn } from './sign-in/sign-in.js';
import { SignInAttempts } from './sign-in/sign-in-attempts.js';
import { SignInCheck } from './sign-in/sign-in-check.js';
import { SignInController } from './sign-in/sign-in.controller.js';
import { SignInLimits } from './sign-in/sign-in-limits.js';
import { SignInOptionsController } from './sign-in/sign-in-options.controller.js';
import { SignInMetrics } from './sign-in/sign-in-metrics.js';
import { UsersController } from './users.controller.js';
import { UserAccounts } from './user-accounts.js';
import { UserTokens } from './user-tokens.js';

/** Routes for people: signing in, their own accounts, and the people of an organization. */
@Module({
  imports: [SessionsModule, EmailsModule],
  controllers: [
    SessionController,
    SignInController,
    SignInOptionsController,
    OidcController,
    SecondFactorController,
    UsersController,
  ],
  providers: [
    AccountMail,
    ForgottenPasswords,
    Invitations,
    KnownDevices,
    OidcCheck,
    OidcClient,
    OidcSignIn,
    OwnAccounts,
    PasswordHashing,
    Passwords,
    People,
    SecondFactors,
    SecondFactor,
    SessionOpening,
    SessionResponses,
    SessionViews,
    SignIn,
    SignInAttempts,
    SignInCheck,
    SignInLimits,
    SignInMetrics,
    OidcCookie,
    SplitTokens,
    UserAccounts,
    UserTokens,
  ],
})
export class UsersModule {}
