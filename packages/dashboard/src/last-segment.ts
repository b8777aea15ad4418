/**
 * The last segment of the path of a page. The router has decoded the path in part, so that its parameters cannot be
 * decoded again: `%2541` would become `A`.
 * @param pathname as `location.pathname`
 */
export function lastSegment(pathname: string): string {
  const segment = pathname.slice(pathname.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(segment);
  } catch {
    // Typed by hand, with a percent sign that encodes nothing.
    return segment;
  }
}
