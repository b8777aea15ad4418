import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SecretBox } from '../../platform/encryption/secret-box.js';
import { isUuid } from '../../platform/clock/uuid-v7.js';
import { SessionCookies } from '../sessions/session-cookies.js';

const YEAR_SECONDS = 365 * 86_400;

/**
 * Recognizes browsers in which a user has signed in, by a cookie that only this service can make and that is bound to
 * the user (OWASP, "device cookies"). It gives no access: it only separates the user's own failures from a stranger's.
 */
@Injectable()
export class KnownDevices {
  constructor(
    private readonly box: SecretBox,
    private readonly cookies: SessionCookies,
  ) {}

  /** The ID of the browser; undefined for one that this user has not signed in with. */
  find(request: Pick<FastifyRequest, 'headers'>, email: string): string | undefined {
    const sealed = this.cookies.read(request, 'device');
    if (sealed === undefined) return undefined;
    try {
      const id = this.box.open(sealed, contextOf(email)).toString();
      return isUuid(id) ? id : undefined;
    } catch {
      return undefined;
    }
  }

  remember(reply: FastifyReply, email: string, known: string | undefined): void {
    this.cookies.set(reply, 'device', this.box.seal(known ?? randomUUID(), contextOf(email)), YEAR_SECONDS);
  }
}

function contextOf(email: string): string {
  return `known-device.${email}`;
}
