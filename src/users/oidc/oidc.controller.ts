import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientNetwork } from '../../platform/addresses/client-network.js';
import { ClientAddresses } from '../../platform/http/client-address.js';
import { TooManyRequestsError } from '../../platform/http/too-many-requests-error.js';
import { CheckedBy } from '../../platform/http/request-check.js';
import { acceptsPage } from '../../platform/http/accepts-page.js';
import { OidcCheck } from './oidc-check.js';
import { OidcCookie } from './oidc-cookie.js';
import { oidcDocs } from './oidc-docs.js';
import { OidcUnavailableError } from './oidc-client.js';
import { OidcSignIn, TOKEN_SECONDS } from './oidc-sign-in.js';
import { SignInLimits } from '../sign-in/sign-in-limits.js';

/** Limited, because each sign-in costs requests to the provider. */
const PER_NETWORK = { tokens: 60, windowMs: 10 * 60_000 };

/** Signing in at the OpenID provider: the browser navigates to both routes. */
@Controller('api/session/oidc')
export class OidcController {
  constructor(
    private readonly signIns: OidcSignIn,
    private readonly cookie: OidcCookie,
    private readonly limits: SignInLimits,
    private readonly clients: ClientAddresses,
  ) {}

  @Get()
  @CheckedBy(OidcCheck)
  @oidcDocs.begin
  async begin(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.perform(request, reply, async () => {
      const { url, state } = await this.signIns.begin();
      this.cookie.write(reply, [...this.cookie.read(request), state]);
      void reply.redirect(url, 302);
    });
  }

  @Get('callback')
  @CheckedBy(OidcCheck)
  @oidcDocs.finish
  async finish(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const [, search = ''] = /^[^?]*(\?.*)$/.exec(request.url) ?? [];
    await this.perform(request, reply, async () => {
      const { token, others } = await this.signIns.finish(search, this.cookie.read(request));
      if (token === undefined) this.cookie.write(reply, others);
      else this.cookie.write(reply, [...others, token.cookie], TOKEN_SECONDS);
      void reply.redirect(token === undefined ? '/sign-in#refused' : `/sign-in#token=${token.page}`, 302);
    });
  }

  /** Sends a person back to the sign-in page, which says what went wrong; programs get the error. */
  private async perform(request: FastifyRequest, reply: FastifyReply, work: () => Promise<void>): Promise<void> {
    try {
      await this.limits.take(`oidc:${clientNetwork(this.clients.clientOfRequest(request.raw))}`, PER_NETWORK);
      await work();
    } catch (error) {
      const fragment = fragmentOf(error);
      if (fragment === undefined || !acceptsPage(request.headers)) throw error;
      void reply.redirect(`/sign-in#${fragment}`, 302);
    }
  }
}

/** What the sign-in page knows the error by. */
function fragmentOf(error: unknown): string | undefined {
  if (error instanceof OidcUnavailableError) return 'unavailable';
  return error instanceof TooManyRequestsError ? 'throttled' : undefined;
}
