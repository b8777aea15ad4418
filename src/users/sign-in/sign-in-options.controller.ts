import { Controller, Get } from '@nestjs/common';
import { CheckedBy } from '../../platform/http/request-check.js';
import { AccountMail } from '../account-mail.js';
import { OidcClient } from '../oidc/oidc-client.js';
import { sessionDocs } from '../sessions/session-docs.js';
import { SignInCheck } from './sign-in-check.js';
import type { SignInOptions } from './sign-in-options.js';

/** Tells the sign-in page what to offer. */
@Controller('api/session')
export class SignInOptionsController {
  constructor(
    private readonly oidc: OidcClient,
    private readonly mail: AccountMail,
  ) {}

  @Get('options')
  @CheckedBy(SignInCheck)
  @sessionDocs.options
  read(): SignInOptions {
    return { oidc: this.oidc.isOn, passwordReset: this.mail.isOn };
  }
}
