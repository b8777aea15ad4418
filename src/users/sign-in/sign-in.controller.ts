import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ClientAddresses } from '../../platform/http/client-address.js';
import { CheckedBy } from '../../platform/http/request-check.js';
import { OidcCookie } from '../oidc/oidc-cookie.js';
import { SplitTokens } from '../oidc/split-tokens.js';
import { ForgottenPasswords } from '../passwords/forgotten-passwords.js';
import { KnownDevices } from './known-devices.js';
import { Passwords } from '../passwords/passwords.js';
import { sessionDocs } from '../sessions/session-docs.js';
import {
  ForgottenPasswordRequest,
  readEmail,
  readSignIn,
  SetPasswordRequest,
  SignInRequest,
} from '../sessions/session-requests.js';
import { SessionResponses } from '../sessions/session-responses.js';
import type { SessionView } from '../sessions/session-view.js';
import { SignIn, type SignedIn } from './sign-in.js';
import { SignInAttempts } from './sign-in-attempts.js';
import { SignInCheck } from './sign-in-check.js';

/** Routes for people who are not signed in yet. */
@Controller('api/session')
export class SignInController {
  constructor(
    private readonly signIns: SignIn,
    private readonly attempts: SignInAttempts,
    private readonly passwords: Passwords,
    private readonly forgotten: ForgottenPasswords,
    private readonly devices: KnownDevices,
    private readonly clients: ClientAddresses,
    private readonly cookie: OidcCookie,
    private readonly halves: SplitTokens,
    private readonly responses: SessionResponses,
  ) {}

  @Post()
  @CheckedBy(SignInCheck)
  @sessionDocs.signIn
  async signIn(
    @Body() body: SignInRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionView> {
    const signedIn = await this.attempt(body, request);
    if (body.token !== undefined) this.cookie.write(reply, this.halves.others(body.token, this.cookie.read(request)));
    return this.responses.opened(request, reply, signedIn);
  }

  @Post('password')
  @HttpCode(204)
  @CheckedBy(SignInCheck)
  @sessionDocs.setPassword
  async setPassword(@Body() body: SetPasswordRequest, @Req() request: FastifyRequest): Promise<void> {
    const source = { account: `link ${body.token}`, networkAddress: this.clients.clientOfRequest(request.raw) };
    await this.attempts.limit(source, () => this.passwords.setByLink(body.token, body.password, request.id));
  }

  @Post('reset')
  @HttpCode(202)
  @CheckedBy(SignInCheck)
  @sessionDocs.forgot
  async forgot(@Body() body: ForgottenPasswordRequest, @Req() request: FastifyRequest): Promise<void> {
    await this.forgotten.request(readEmail(body.email), this.clients.clientOfRequest(request.raw));
  }

  private attempt(body: SignInRequest, request: FastifyRequest): Promise<SignedIn> {
    const wanted = readSignIn(body);
    const networkAddress = this.clients.clientOfRequest(request.raw);
    const details = { code: body.code, requestId: request.id };
    if ('token' in wanted) {
      const token = this.halves.join(wanted.token, this.cookie.read(request));
      const source = { account: `link ${token}`, networkAddress };
      return this.attempts.run(source, () => this.signIns.withLink(token, details));
    }
    const { email, password } = wanted;
    const deviceId = this.devices.find(request, email);
    const source = { account: email, networkAddress, ...(deviceId !== undefined && { deviceId }) };
    const lane = deviceId === undefined ? 'unknown' : 'known';
    return this.attempts.run(source, () => this.signIns.withPassword(email, password, lane, details));
  }
}
