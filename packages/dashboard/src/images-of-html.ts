const IMAGES = /<(?:img|image|input)\b|\b(?:srcset|background|poster)\s*=|url\(/i;

/** False if an email certainly has no images, such as the HTML that shows an email of text alone. */
export function mayHaveImages(html: string): boolean {
  return IMAGES.test(html);
}
