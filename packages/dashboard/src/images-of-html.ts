const IMAGES = /<(?:img|image|input|feimage)\b|\b(?:srcset|background|poster)\s*=|\b(?:url|image-set)\(/i;

/** False if an email certainly has no images, such as the HTML that shows an email of text alone. */
export function mayHaveImages(html: string): boolean {
  return IMAGES.test(html);
}
