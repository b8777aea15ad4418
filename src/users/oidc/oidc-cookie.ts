import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SessionCookies } from '../sessions/session-cookies.js';

/** How long a user may take to sign in at the provider. */
const STATE_SECONDS = 600;
/** Four have about 1,300 bytes. Of more tabs, the ones that began first begin again. */
const MAX_PARTS = 4;
/** In no sealed value. */
const SEPARATOR = '~';

/** The sign-ins at the OpenID provider that the tabs of a browser have begun, each a sealed part of one cookie. */
@Injectable()
export class OidcCookie {
  constructor(private readonly cookies: SessionCookies) {}

  read(request: Pick<FastifyRequest, 'headers'>): readonly string[] {
    return this.cookies.read(request, 'oidc')?.split(SEPARATOR) ?? [];
  }

  /** @param seconds how long the last part is valid, which alone needs no longer cookie */
  write(reply: FastifyReply, parts: readonly string[], seconds = STATE_SECONDS): void {
    if (parts.length === 0) return this.cookies.clear(reply, 'oidc');
    const kept = parts.slice(-MAX_PARTS).join(SEPARATOR);
    this.cookies.set(reply, 'oidc', kept, parts.length === 1 ? seconds : STATE_SECONDS);
  }
}
