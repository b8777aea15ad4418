import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import { KnownDevices } from '../sign-in/known-devices.js';
import { SessionCookies } from './session-cookies.js';
import { SessionViews, type SessionView } from './session-view.js';
import { Sessions } from './sessions.js';
import type { SignedIn } from '../sign-in/sign-in.js';

/** Writes sessions into cookies and responses. */
@Injectable()
export class SessionResponses {
  constructor(
    private readonly views: SessionViews,
    private readonly sessions: Sessions,
    private readonly cookies: SessionCookies,
    private readonly devices: KnownDevices,
  ) {}

  /** Sets the cookies of a new session. Ends the browser's previous session. */
  async opened(request: FastifyRequest, reply: FastifyReply, { account, session }: SignedIn): Promise<SessionView> {
    await this.sessions.end(this.cookies.read(request, 'session'));
    this.cookies.set(reply, 'session', session.token, session.maxAgeSeconds);
    this.devices.remember(reply, account.email, this.devices.find(request, account.email));
    return this.views.of(session.id);
  }

  view(caller: Caller): Promise<SessionView> {
    return this.views.of(caller.session!.id, caller);
  }

  clear(reply: FastifyReply): void {
    this.cookies.clear(reply, 'session');
  }
}
