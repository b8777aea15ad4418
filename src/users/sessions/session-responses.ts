import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import { Database } from '../../platform/database/database.js';
import { KnownDevices } from '../sign-in/known-devices.js';
import { SessionCookies } from './session-cookies.js';
import { SessionViews, type SessionView } from './session-view.js';
import { Sessions } from './sessions.js';
import type { SignedIn } from '../sign-in/sign-in.js';
import { UserAccounts } from '../user-accounts.js';

/** Writes sessions into cookies and responses. */
@Injectable()
export class SessionResponses {
  constructor(
    private readonly database: Database,
    private readonly accounts: UserAccounts,
    private readonly views: SessionViews,
    private readonly sessions: Sessions,
    private readonly cookies: SessionCookies,
    private readonly devices: KnownDevices,
  ) {}

  /** Sets the cookies of a new session. Ends the browser's previous session. */
  async opened(request: FastifyRequest, reply: FastifyReply, { account, session }: SignedIn): Promise<SessionView> {
    await this.endPrevious(request);
    this.cookies.set(reply, 'session', session.token, session.maxAgeSeconds);
    this.devices.remember(reply, account.email, this.devices.find(request, account.email));
    return this.views.of(session.id);
  }

  view(caller: Caller): Promise<SessionView> {
    return this.views.of(caller.session!.id, caller);
  }

  /** For the organization that was just chosen: the caller was authenticated for the one before. */
  chosen(caller: Caller): Promise<SessionView> {
    return this.views.of(caller.session!.id);
  }

  clear(reply: FastifyReply): void {
    this.cookies.clear(reply, 'session');
  }

  /** Perhaps of another user, whose organizations then have its end in their audit logs. */
  private async endPrevious(request: FastifyRequest): Promise<void> {
    const token = this.cookies.read(request, 'session');
    if (token === undefined) return;
    await this.database.transaction(async (sql) => {
      const ended = await this.sessions.end(sql, token);
      if (!ended) return;
      const actor = { kind: 'user', id: ended.userId } as const;
      const target = { kind: 'session', id: ended.id } as const;
      const change = { requestId: request.id, actor, action: 'session.ended', target } as const;
      await this.accounts.audit(sql, ended.userId, change);
    });
  }
}
