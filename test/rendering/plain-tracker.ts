import type { LinkTracker } from '../../src/rendering/track-links.js';

/** A tracker whose addresses show position and destination. */
export const plainTracker: LinkTracker = {
  trackingUrl: (url, position) => `https://t.test/api/t/c/${position}-${Buffer.from(url).toString('base64url')}`,
  isOurs: (url) => url.startsWith('https://t.test/api/t/'),
  isExempt: () => false,
  pixelUrl: 'https://t.test/api/t/o/pixel',
};

export const PIXEL =
  '<img src="https://t.test/api/t/o/pixel" width="1" height="1" alt="" style="display:block;border:0">';
