/**
 * A separate module, so that it can be loaded later: a bundle cannot import names from a CommonJS package that it loads
 * dynamically.
 */
export { Queue } from 'bullmq';
