import { fieldsOf, indexOf, textIn, type Fields } from '@banister/wire';
import { OutputItem, type ItemPlace } from './output-item.js';

/** Types of calls that the session runs; calls of other types run at the server. */
const callTypes = ['function_call', 'custom_tool_call'];

/**
 * The origin of the fields: a piece of an item, its beginning, its end, or the response, which repeats its
 * items.
 */
type Stage = 'piece' | 'begin' | 'end' | 'response';

/**
 * The items of one answer. No single field identifies an item at every server: ids may change with every
 * event or be the same for all items, and several items may have the same index or none. So an item is found
 * by its kind, call id, id and index together.
 */
export class OutputItems {
  /** In order of arrival. */
  readonly all: OutputItem[] = [];

  /** Returns the item to which an event with a piece belongs; a new item if the server announced none. */
  ofPiece(kind: string, event: Fields): OutputItem {
    const place = { kind, ...idsIn(event, 'item_id'), index: indexIn(event) };
    return this.find(place, 'piece', {}) ?? this.open(place);
  }

  /**
   * Returns the item that the description in an event begins or ends. A description of an item that is done
   * is a repetition.
   */
  described(event: Fields, stage: 'begin' | 'end'): OutputItem {
    const item = fieldsOf(event['item']);
    const place = placeOf(item, indexIn(event));
    const found = this.find(place, stage, item);
    found?.addIndex(place.index);
    if (found) return found;
    const opened = this.open(place);
    // A call with the ids of a call that is done may be a repetition. Its arguments will tell.
    opened.isHeld = stage === 'begin' && this.all.some((one) => one !== opened && one.sharesIdWith(place));
    return opened;
  }

  /**
   * Returns the item that a response repeats at its end. A description there belongs to an item that no other
   * description belongs to.
   */
  repeated(index: number, item: Fields): OutputItem {
    const place = placeOf(item, index);
    const found = this.find(place, 'response', item) ?? this.open(place);
    found.isRepeated = true;
    return found;
  }

  /** Returns true for a held call that equals an earlier call, or that never got arguments. */
  isRepetition(item: OutputItem): boolean {
    return (
      item.call?.isEmpty === true ||
      this.all.some(
        (one) => one !== item && !one.call?.isHeld && one.sharesIdWith(item) && one.call?.equals(item.call),
      )
    );
  }

  private find(place: ItemPlace, stage: Stage, item: Fields): OutputItem | undefined {
    let best: OutputItem | undefined;
    for (const one of this.all) {
      if (one.kind !== place.kind || !fits(one, place, stage, item)) continue;
      // If several items fit equally well, the latest counts.
      if (!best || rank(one, place, item) >= rank(best, place, item)) best = one;
    }
    return best;
  }

  private open(place: ItemPlace): OutputItem {
    const item = new OutputItem(place);
    this.all.push(item);
    return item;
  }
}

function rank(one: OutputItem, place: ItemPlace, item: Fields): number {
  const signs = [one.isLike(item), one.hasCallId(place), one.hasId(place), one.isAt(place), !one.isDone];
  return signs.reduce((sum, sign) => 2 * sum + Number(sign), 0);
}

function fits(one: OutputItem, place: ItemPlace, stage: Stage, item: Fields): boolean {
  const isNamed = one.hasCallId(place) || one.hasId(place);
  if (stage === 'piece' || one.latest === null) return isNamed || one.isAt(place);
  const fit = one.kind === 'call' ? fitsCall : fitsItem;
  return fit(one, place, stage, item);
}

/** Returns whether the description of a call belongs to a call that was described before. */
function fitsCall(one: OutputItem, place: ItemPlace, stage: Stage, item: Fields): boolean {
  const [sameCall, sameId, isHere] = [one.hasCallId(place), one.hasId(place), one.isAt(place)];
  const isOther = !sameCall && place.callId !== '' && one.callId !== '';
  const hasOtherId = !sameId && place.id !== '' && one.id !== '';
  const isLike = one.isLike(item);
  switch (stage) {
    case 'begin':
      if (one.isDone) return sameCall && sameId;
      return !isOther && (sameCall || sameId || (isHere && !hasOtherId));
    case 'end':
      // This is the end of an open call, with other ids than its beginning.
      if (isOther) return !one.isDone && (sameId || (isHere && one.isNamedLike(item)));
      return sameCall || sameId || isHere ? !one.isWhole || isLike : false;
    default:
      if (isLike && !one.isRepeated) return true;
      if (isOther) return !one.isDone && (sameId || (isHere && one.isNamedLike(item)));
      return sameCall || sameId || isHere;
  }
}

/**
 * Returns whether the description of an item that is not a call belongs to an item that was described before.
 */
function fitsItem(one: OutputItem, place: ItemPlace, stage: Stage, item: Fields): boolean {
  const [sameId, isHere] = [one.hasId(place), one.isAt(place)];
  const hasOtherId = !sameId && place.id !== '' && one.id !== '';
  switch (stage) {
    case 'begin':
      return one.isDone ? sameId && isHere : sameId || (isHere && !hasOtherId);
    case 'end':
      return one.isDone ? isHere && (!hasOtherId || one.isLike(item)) : sameId || isHere;
    default:
      // Servers that leave items out of a response renumber the other items.
      return sameId || isHere || one.kind === 'message' || place.id === '';
  }
}

function placeOf(item: Fields, index: number | undefined): ItemPlace {
  const type = textIn(item['type']);
  return { kind: callTypes.includes(type) ? 'call' : type, ...idsIn(item, 'id'), index };
}

function idsIn(fields: Fields, id: string): Pick<ItemPlace, 'id' | 'callId'> {
  return { id: textIn(fields[id]), callId: textIn(fields['call_id']) };
}

function indexIn(event: Fields): number | undefined {
  return indexOf(event['output_index']);
}
