import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { dashboardUrl } from '../dashboard-url.js';

/**
 * The purpose of a cookie: a session, a browser in which the user has signed in before, or a pending sign-in at the
 * OpenID provider.
 */
export type CookiePurpose = 'session' | 'device' | 'oidc';

const NAMES: Readonly<Record<CookiePurpose, string>> = {
  session: 'mailbeacon',
  device: 'mailbeacon_device',
  oidc: 'mailbeacon_oidc',
};

/**
 * The cookies of signed-in users. If the dashboard has TLS, they are secure, and their names begin with `__Host-`, so
 * that no other host can set them (RFC 6265bis, 4.1.3.2).
 */
@Injectable()
export class SessionCookies {
  private readonly isSecure: boolean;

  constructor(@Inject(SETTINGS) settings: RunSettings) {
    this.isSecure = dashboardUrl(settings).startsWith('https:');
  }

  /** Undefined without the cookie, and for several with its name, because only an attacker sends two. */
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
      // The return from the OpenID provider is a navigation from another site.
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
