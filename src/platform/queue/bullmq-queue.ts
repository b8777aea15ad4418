/** A module of its own, so that it can be loaded later: a bundle cannot take names from a CommonJS package it loads. */
export { Queue } from 'bullmq';
