const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Text without characters that would change the direction of what follows, or end an isolate around it. */
export function withoutDirections(text: string): string {
  return text.replace(DIRECTIONS, '');
}
