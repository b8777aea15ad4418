import { InvalidFieldError } from '../../platform/errors/domain-error.js';

/**
 * Headers for untrusted HTML: it runs no scripts, has no origin, submits nothing, and only pages of this
 * service may frame it.
 * @param withImages true to let it load images from anywhere, which shows their servers that someone reads the email
 */
export function previewHeaders(withImages: boolean): Readonly<Record<string, string>> {
  const images = withImages ? 'data: https: http:' : 'data:';
  return {
    'content-security-policy':
      `sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src ${images}; ` +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    'referrer-policy': 'no-referrer',
  };
}

/** The query parameter that requests images. @throws InvalidFieldError */
export function readImages(value: unknown = 'false'): boolean {
  if (value !== 'true' && value !== 'false') throw new InvalidFieldError('images', 'must be true or false');
  return value === 'true';
}

/** The part of the email that a preview shows. @throws InvalidFieldError */
export function readPart(value: unknown = 'html'): 'html' | 'text' {
  if (value !== 'html' && value !== 'text') throw new InvalidFieldError('part', 'must be html or text');
  return value;
}
