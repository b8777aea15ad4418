import { Injectable } from '@nestjs/common';
import { GuardedHttp } from '../platform/outbound-http/ssrf-safe-client.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';

const MAX_LENGTH = 2_048;

/** Which addresses an organization may have called. */
@Injectable()
export class WebhookTargets {
  constructor(private readonly http: GuardedHttp) {}

  /**
   * The URL as it will be called. A host that cannot be found yet is let through: its addresses are judged again at
   * every attempt.
   * @throws InvalidFieldError saying why the URL is refused
   */
  async check(text: string): Promise<string> {
    if (text.length > MAX_LENGTH) throw new InvalidFieldError('url', `must have at most ${MAX_LENGTH} characters`);
    const url = parse(text);
    if (!url) throw new InvalidFieldError('url', 'must be an absolute address like https://example.com/webhooks');
    const refusal = await this.http.refusalOf(url);
    if (refusal !== undefined) throw new InvalidFieldError('url', refusal);
    url.hash = '';
    return url.href;
  }
}

/** Not URL.canParse: in Node 20 it comes to refuse letters beyond ASCII once it is optimized. */
function parse(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
