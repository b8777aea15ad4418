import { Injectable } from '@nestjs/common';
import { SecretBox } from '../../platform/encryption/secret-box.js';

const CONTEXT = 'oidc-token';
/** Of 43. Each half has more than 120 random bits. */
const PAGE_CHARACTERS = 22;

/** The halves of a token that signs in: one for the address of the page, one for a cookie of its browser. */
export interface SplitToken {
  readonly page: string;
  readonly cookie: string;
}

/**
 * Splits tokens, so that an address that one person sends to another signs nobody in. The half in the cookie is sealed:
 * its owner could otherwise send the whole token.
 */
@Injectable()
export class SplitTokens {
  constructor(private readonly box: SecretBox) {}

  split(token: string): SplitToken {
    return {
      page: token.slice(0, PAGE_CHARACTERS),
      cookie: this.box.seal(token.slice(PAGE_CHARACTERS), CONTEXT),
    };
  }

  /** @param text half of a token, or the whole token of a link. @returns no token when the halves do not fit */
  join(text: string, cookie: string | undefined): string {
    return text.length === PAGE_CHARACTERS && cookie !== undefined ? `${text}${this.open(cookie)}` : text;
  }

  private open(cookie: string): string {
    try {
      return this.box.open(cookie, CONTEXT).toString();
    } catch {
      return '';
    }
  }
}
