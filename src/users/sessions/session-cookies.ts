import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { dashboardUrl } from '../dashboard-url.js';

/** Why a cookie exists: a session, a browser that its user knows, a sign-in at the OpenID provider under way. */
export type CookiePurpose = 'session' | 'device' | 'oidc';

const NAMES: Readonly<Record<CookiePurpose, string>> = {
  session: 'mailbeacon',
  device: 'mailbeacon_device',
  oidc: 'mailbeacon_oidc',
};

/**
 * The cookies of signed-in users. Where the dashboard has TLS, they are secure, and their names begin with `__Host-`, so
 * that no other host can set them (RFC 6265bis, 4.1.3.2).
 */
@Injectable()
export class SessionCookies {
  private readonly isSecure: boolean;

  constructor(@Inject(SETTINGS) settings: RunSettings) {
    this.isSecure = dashboardUrl(settings).startsWith('https:');
  }

  /** Undefined without the cookie, and with several of its name: only an attacker sends two. */
  read({ headers }: Pick<FastifyRequest, 'headers'>, purpose: CookiePurpose): string | undefined {
    const prefix = `${this.nameOf(purpose)}=`;
    const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
    const values = pairs.filter((pair) => pair.startsWith(prefix)).map((pair) => pair.slice(prefix.length));
    return values.length === 1 ? values[0] : undefined;
  }

  set(reply: FastifyReply, purpose: CookiePurpose, value: string, maxAgeSeconds: number): void {
    const attributes = [
      `${this.nameOf(purpose)}=${value}`,
      'Path=/',
      `Max-Age=${maxAgeSeconds}`,
      'HttpOnly',
      // The way back from the OpenID provider is a navigation from another site.
      `SameSite=${purpose === 'oidc' ? 'Lax' : 'Strict'}`,
      ...(this.isSecure ? ['Secure'] : []),
    ];
    void reply.header('set-cookie', attributes.join('; '));
  }

  clear(reply: FastifyReply, purpose: CookiePurpose): void {
    this.set(reply, purpose, '', 0);
  }

  private nameOf(purpose: CookiePurpose): string {
    return this.isSecure ? `__Host-${NAMES[purpose]}` : NAMES[purpose];
  }
}
