import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CheckedBy } from '../../platform/http/request-check.js';
import { acceptsPage } from '../../platform/http/accepts-page.js';
import { OidcCheck } from './oidc-check.js';
import { oidcDocs } from './oidc-docs.js';
import { OidcUnavailableError } from './oidc-client.js';
import { OidcSignIn, TOKEN_SECONDS } from './oidc-sign-in.js';
import { SessionCookies } from '../sessions/session-cookies.js';

/** How long a user may take to sign in at the provider. */
const STATE_SECONDS = 600;

/** Signing in at the OpenID provider: the browser navigates to both routes. */
@Controller('api/session/oidc')
export class OidcController {
  constructor(
    private readonly signIns: OidcSignIn,
    private readonly cookies: SessionCookies,
  ) {}

  @Get()
  @CheckedBy(OidcCheck)
  @oidcDocs.begin
  async begin(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await unlessAway(request, reply, async () => {
      const { url, cookie } = await this.signIns.begin();
      this.cookies.set(reply, 'oidc', cookie, STATE_SECONDS);
      void reply.redirect(url, 302);
    });
  }

  @Get('callback')
  @CheckedBy(OidcCheck)
  @oidcDocs.finish
  async finish(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const [, search = ''] = /^[^?]*(\?.*)$/.exec(request.url) ?? [];
    await unlessAway(request, reply, async () => {
      const token = await this.signIns.finish(search, this.cookies.read(request, 'oidc'));
      if (token === undefined) this.cookies.clear(reply, 'oidc');
      else this.cookies.set(reply, 'oidc', token.cookie, TOKEN_SECONDS);
      void reply.redirect(token === undefined ? '/sign-in#refused' : `/sign-in#token=${token.page}`, 302);
    });
  }
}

/** Sends a person back to the sign-in page, which says that the provider does not respond; programs get the error. */
async function unlessAway(request: FastifyRequest, reply: FastifyReply, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof OidcUnavailableError) || !acceptsPage(request.headers)) throw error;
    void reply.redirect('/sign-in#unavailable', 302);
  }
}
