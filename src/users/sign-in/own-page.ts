import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { parseUrl } from '../../platform/addresses/parse-url.js';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { dashboardUrl } from '../dashboard-url.js';

const SAFE_METHODS = new Set(['GET', 'HEAD']);

class ForeignPageError extends DomainError {
  constructor() {
    super('forbidden', 'Requests of signed-in users need the header X-Requested-With and must come from the dashboard');
  }
}

/** Refuses requests that another website makes with the cookies of our user (cross-site request forgery). */
@Injectable()
export class OwnPage {
  private readonly origin: string;

  constructor(@Inject(SETTINGS) settings: RunSettings) {
    this.origin = new URL(dashboardUrl(settings)).origin;
  }

  /**
   * Browsers send a custom header across origins only if the server allows it, which this one never does, and they name
   * the requesting page. A subdomain counts as another website, because others may own it.
   * @throws ForeignPageError
   */
  require({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): void {
    if (SAFE_METHODS.has(method)) return;
    const { origin, host, 'sec-fetch-site': site, 'x-requested-with': marker } = headers;
    const isOwn = origin === undefined || origin === this.origin || hostOf(origin) === host;
    if (!marker || !isOwn || (site !== undefined && site !== 'same-origin')) throw new ForeignPageError();
  }
}

function hostOf(origin: string): string | undefined {
  return parseUrl(origin)?.host;
}
