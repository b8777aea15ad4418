import { Check, Entity } from 'typeorm';
import { WalkProgress } from '../../platform/database/walk-progress.entity.js';

/** How far earlier emails are among the figures by the hour. */
@Entity('stats_walk')
@Check('stats_walk_one_row', 'id = 1')
export class StatsWalk extends WalkProgress {}
