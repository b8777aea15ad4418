import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { WebhookEndpoint } from './webhook-endpoint.entity.js';

@Entity('webhook_deliveries')
@Index('webhook_deliveries_endpoint_id', ['endpointId', 'id'])
@Index('webhook_deliveries_pending', ['nextAttemptAt'], { where: "status = 'pending'" })
@Check('webhook_deliveries_status', "status in ('pending', 'delivered', 'failed')")
export class WebhookDelivery {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @ForeignKey(() => WebhookEndpoint, { name: 'webhook_deliveries_endpoint_id_fkey', onDelete: 'CASCADE' })
  @Column({ type: 'uuid', name: 'endpoint_id' })
  endpointId!: string;

  @Column({ type: 'text' })
  type!: string;

  @Column({ type: 'text' })
  body!: string;

  @Column({ type: 'text', default: 'pending' })
  status!: 'pending' | 'delivered' | 'failed';

  @Column({ type: 'integer', default: 0 })
  attempts!: number;

  @Column({ type: 'timestamptz', name: 'next_attempt_at', precision: 3, default: () => 'now()' })
  nextAttemptAt!: Date;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;
}
