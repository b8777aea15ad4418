import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../platform/config/settings.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import { GuardedHttp } from '../platform/outbound-http/guarded-http.js';
import { WEBHOOK_USER_AGENT } from './webhook-events.js';
import { WebhookLimits } from './webhook-limits.js';

/** Type of the only message that is not an event: a new URL has to echo its challenge. */
const CHALLENGE = 'ENDPOINT_CHALLENGE';
const CHALLENGE_BYTES = 24;
const DEADLINE_MS = 5_000;
/** Enough for the challenge in JSON, too few to read out a host. */
const KEEP_BYTES = 256;

/** Requires a proof that the caller controls the URL it registers, so that webhooks cannot be aimed at other hosts. */
@Injectable()
export class WebhookOwnership {
  constructor(
    private readonly http: GuardedHttp,
    private readonly limits: WebhookLimits,
    @Inject(SETTINGS) private readonly settings: RunSettings,
  ) {}

  /**
   * Posts a random challenge, which the URL has to return. Every failure has the same error, so that the result
   * reveals nothing about other hosts.
   * @throws InvalidFieldError, WebhookRateError
   */
  async requireProof(organizationId: string, url: string): Promise<void> {
    if (!this.needsProof(url)) return;
    await this.limits.countChallenge(organizationId);
    const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
    if (await this.isEchoed(url, challenge)) return;
    throw new InvalidFieldError(
      'url',
      `must return the challenge of a POST with the type ${CHALLENGE}, with a 2xx status and within ${DEADLINE_MS / 1000} seconds`,
    );
  }

  /** Plain http to private addresses is for development, where an operator has allowed it. */
  private needsProof(url: string): boolean {
    const { WEBHOOK_VERIFY_OWNERSHIP, WEBHOOK_ALLOW_PRIVATE_ADDRESSES } = this.settings;
    if (WEBHOOK_VERIFY_OWNERSHIP !== 'public') return WEBHOOK_VERIFY_OWNERSHIP === 'always';
    return url.startsWith('https:') || !WEBHOOK_ALLOW_PRIVATE_ADDRESSES;
  }

  private async isEchoed(url: string, challenge: string): Promise<boolean> {
    const body = JSON.stringify({ type: CHALLENGE, timestamp: new Date().toISOString(), data: { challenge } });
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': WEBHOOK_USER_AGENT,
    };
    try {
      const response = await this.http.post({ url, headers, body, deadlineMs: DEADLINE_MS, keepBytes: KEEP_BYTES });
      return response.status >= 200 && response.status <= 299 && echoOf(response.body.toString()) === challenge;
    } catch {
      return false;
    }
  }
}

/** The response is the challenge as text, or as `challenge` of a JSON object. */
function echoOf(text: string): string | undefined {
  const trimmed = text.trim();
  if (!trimmed.startsWith('{')) return trimmed;
  try {
    const { challenge } = JSON.parse(trimmed) as { challenge?: unknown };
    return typeof challenge === 'string' ? challenge : undefined;
  } catch {
    return undefined;
  }
}
