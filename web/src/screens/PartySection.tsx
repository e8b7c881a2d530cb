/** Friends, and a party to queue with: people only appear here once one has played with them. */
import { type Friend, FriendService, FriendState, type RecentPlayer } from "@gouji/client/v1/friends";
import { PartyService, type PlayerPresence, type WatchPartyResponse } from "@gouji/client/v1/party";
import { useEffect, useState } from "react";
import { useTexts } from "../i18n";
import { party as followed } from "../net/party";
import { player, session } from "../net/session";
import { useStore } from "../net/store";
import { Warning } from "../parts/Warning";
import { failureText } from "./failure";

/** Does something, and looks anew at what became of it. */
type Attempt = (wanted: Promise<unknown>) => void;

const parties = session.client(PartyService);
const friendships = session.client(FriendService);

export function PartySection() {
  const texts = useTexts();
  const party = useStore(followed);
  const [friends, setFriends] = useState<Friend[]>([]);
  const [recent, setRecent] = useState<RecentPlayer[]>([]);
  const [failure, setFailure] = useState("");
  const look = async () => {
    const [mine, met] = await Promise.all([
      session.call((options) => friendships.listFriends({}, options)),
      session.call((options) => friendships.listRecentPlayers({}, options)),
    ]);
    setFriends(mine.friends);
    setRecent(met.players);
  };
  const attempt: Attempt = (wanted) => {
    setFailure("");
    wanted.then(look).catch((thrown) => setFailure(failureText(thrown, texts)));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: followed for as long as this shows
  useEffect(() => {
    const closing = new AbortController();
    const follow = async () => {
      await look();
      const open = (options: object) => parties.watchParty({}, options);
      for await (const state of session.follow(open, { signal: closing.signal })) followed.set(state);
    };
    follow().catch(() => undefined);
    return () => closing.abort();
  }, []);
  const known = new Set(friends.map((friend) => friend.playerId));
  const strangers = recent.filter((met) => !known.has(met.playerId));
  return (
    <section className="card-panel">
      <h2>{texts.party.title}</h2>
      {party && <Invitations party={party} attempt={attempt} />}
      {party?.party && <Members party={party} attempt={attempt} />}
      {!friends.length && !strangers.length && <p className="quiet">{texts.party.noFriends}</p>}
      <Friends friends={friends} attempt={attempt} />
      <Strangers met={strangers} attempt={attempt} />
      <Warning text={failure} />
    </section>
  );
}

function Invitations({ party, attempt }: { party: WatchPartyResponse; attempt: Attempt }) {
  const texts = useTexts();
  return party.invitations.map(({ partyId, name }) => (
    <div key={partyId} className="invitation" role="alert">
      {texts.party.invited(name)}
      {[true, false].map((accept) => (
        <button
          type="button"
          key={String(accept)}
          className={`button ${accept ? "button-main" : "button-quiet"}`}
          onClick={() => attempt(session.call((options) => parties.answerInvitation({ partyId, accept }, options)))}
        >
          {accept ? texts.party.accept : texts.party.decline}
        </button>
      ))}
    </div>
  ));
}

function Members({ party, attempt }: { party: WatchPartyResponse; attempt: Attempt }) {
  const texts = useTexts();
  const me = player.get()?.playerId;
  const { leader, members } = party.party!;
  const ready = members.find((member) => member.playerId === me)?.ready ?? false;
  return (
    <div className="party">
      <ul className="people">
        {members.map((member) => (
          <li key={member.playerId}>
            <strong>{member.name}</strong>
            <small>
              {member.playerId === leader
                ? texts.party.leader
                : member.ready
                  ? texts.party.ready
                  : texts.party.notReady}
            </small>
          </li>
        ))}
      </ul>
      <div className="row">
        {leader !== me && (
          <button
            type="button"
            className="button button-main"
            onClick={() => attempt(session.call((options) => parties.setReady({ ready: !ready }, options)))}
          >
            {ready ? texts.party.notReady : texts.party.ready}
          </button>
        )}
        <button
          type="button"
          className="button button-quiet"
          onClick={() => attempt(session.call((options) => parties.leaveParty({}, options)))}
        >
          {texts.party.leave}
        </button>
      </div>
    </div>
  );
}

function Friends({ friends, attempt }: { friends: readonly Friend[]; attempt: Attempt }) {
  const texts = useTexts();
  return (
    <ul className="people">
      {friends.map(({ playerId, name, state, presence }) => (
        <li key={playerId}>
          <strong>{name}</strong>
          <small>{state === FriendState.FRIENDS ? whereabouts(presence, texts) : texts.party.asked}</small>
          {state === FriendState.ASKS && (
            <button
              type="button"
              className="link"
              onClick={() => attempt(session.call((options) => friendships.addFriend({ playerId }, options)))}
            >
              {texts.party.accept}
            </button>
          )}
          {state === FriendState.FRIENDS && (
            <button
              type="button"
              className="link"
              onClick={() => attempt(session.call((options) => parties.invitePlayer({ playerId }, options)))}
            >
              {texts.party.invite}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

function Strangers({ met, attempt }: { met: readonly RecentPlayer[]; attempt: Attempt }) {
  const texts = useTexts();
  if (!met.length) return null;
  return (
    <>
      <h3>{texts.party.recent}</h3>
      <ul className="people">
        {met.map(({ playerId, name }) => (
          <li key={playerId}>
            <strong>{name}</strong>
            <button
              type="button"
              className="link"
              onClick={() => attempt(session.call((options) => friendships.addFriend({ playerId }, options)))}
            >
              {texts.party.add}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function whereabouts(there: PlayerPresence | undefined, texts: ReturnType<typeof useTexts>): string {
  if (there?.playing) return texts.party.playing;
  return there?.online ? texts.party.online : texts.party.offline;
}
