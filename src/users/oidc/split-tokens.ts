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
    const page = token.slice(0, PAGE_CHARACTERS);
    return { page, cookie: this.box.seal(token.slice(PAGE_CHARACTERS), contextOf(page)) };
  }

  /**
   * @param text half of a token, or the whole token of a link
   * @param parts of the cookie. @returns no token when none of them fits
   */
  join(text: string, parts: readonly string[]): string {
    const halves = text.length === PAGE_CHARACTERS ? parts.map((part) => this.open(part, text)) : [];
    return `${text}${halves.find((half) => half !== undefined) ?? ''}`;
  }

  /** The parts of the cookie that do not belong to a token. */
  others(text: string, parts: readonly string[]): readonly string[] {
    return parts.filter((part) => this.open(part, text) === undefined);
  }

  private open(part: string, page: string): string | undefined {
    try {
      return this.box.open(part, contextOf(page)).toString();
    } catch {
      return undefined;
    }
  }
}

/** Binds the half in the cookie to the half in the address of the page. */
function contextOf(page: string): string {
  return `${CONTEXT} ${page}`;
}
