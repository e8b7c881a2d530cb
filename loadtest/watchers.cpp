// The hot half of the load test: holds six watches a table and sends each table's commands when they are due.
//
//   watchers ADDRESS PLAN RECORDS PERIOD_MS SECONDS STREAMS_PER_CONNECTION
//
// It is open-loop: a command goes out when its time has come, whatever became of the one before. It prints `ready`
// when all watches have begun, and sends from the line `go` on its standard input until SECONDS later; then it waits
// for what is still out, writes a line a command to RECORDS and prints `done MESSAGES EVENTS BROKEN`. Requests come
// ready-made in PLAN (loadtest/plan.py); of answers it reads no more than which event is an action. One thread does it
// all.
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iostream>
#include <memory>
#include <queue>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kSeats = 6;
constexpr int kOpeningAtOnce = 128;
constexpr int kMostTries = 10;
constexpr int kDrainSeconds = 10;
constexpr int kAnswerSeconds = 30;
constexpr int kNotAnswered = -1;

using Steady = std::chrono::steady_clock;
using Generic = grpc::GenericClientAsyncReaderWriter;

// Seconds since the line `go`; before it, since the start.
Steady::time_point epoch = Steady::now();
double Now() { return std::chrono::duration<double>(Steady::now() - epoch).count(); }

// Something that gRPC does for us and then tells of.
struct Operation {
  virtual ~Operation() = default;
  virtual void Proceed(bool ok) = 0;
};

struct Command {
  int seat = 0;
  std::string request;
  double due = 0, sent = -1, answered = -1, shown = -1;
  int code = kNotAnswered;
  int seen = 0;
};

struct Watch;

struct Table {
  double phase = 0;
  std::vector<Command> commands;
  std::vector<std::unique_ptr<Watch>> watches;
  size_t next = 0;
};

// What the whole run shares.
struct Run {
  grpc::CompletionQueue queue;
  std::vector<std::unique_ptr<grpc::GenericStub>> stubs;
  std::deque<Table> tables;
  std::deque<Watch*> to_open;
  int opening = 0, begun = 0, broken = 0, outstanding = 0;
  int64_t messages = 0, events = 0;
  bool counting = false;
};
Run run;

grpc::ByteBuffer Packed(const std::string& bytes) {
  grpc::Slice slice(bytes);
  return grpc::ByteBuffer(&slice, 1);
}

// Protocol buffers' wire format, as far as it is needed to find events in a batch.
struct Reader {
  const uint8_t* at;
  const uint8_t* end;

  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0; at < end && shift < 64; shift += 7) {
      const uint8_t byte = *at++;
      value |= uint64_t(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return value;
  }

  // Go on to the next field; `inner` is its content if it has a length. False at the end.
  bool Next(int* field, Reader* inner) {
    if (at >= end) return false;
    const uint64_t key = Varint();
    *field = int(key >> 3);
    *inner = Reader{at, at};
    switch (key & 7) {
      case 0: Varint(); break;
      case 1: at += 8; break;
      case 2: {
        const uint64_t length = Varint();
        if (length > uint64_t(end - at)) return false;
        *inner = Reader{at, at + length};
        at += length;
        break;
      }
      case 5: at += 4; break;
      default: return false;
    }
    return at <= end;
  }
};

constexpr int kBatchOfResponse = 2, kEventsOfBatch = 1, kActionTakenOfEvent = 6;

// One seat's stream. It has exactly one operation out at a time.
struct Watch : Operation {
  enum class State { kStarting, kAsking, kReading, kEnding };

  Table* table = nullptr;
  grpc::GenericStub* stub = nullptr;
  std::string authorization, request;
  std::unique_ptr<grpc::ClientContext> context;
  std::unique_ptr<Generic> stream;
  grpc::ByteBuffer message;
  grpc::Status status;
  State state = State::kStarting;
  bool begun = false;
  int tries = 0;
  size_t actions = 0;

  void Open() {
    ++run.opening;
    ++tries;
    state = State::kStarting;
    context = std::make_unique<grpc::ClientContext>();
    context->AddMetadata("authorization", authorization);
    stream = stub->PrepareCall(context.get(), "/gouji.v1.TableService/Watch", &run.queue);
    stream->StartCall(this);
  }

  void Proceed(bool ok) override {
    if (state == State::kEnding) return Ended();
    if (!ok) {
      state = State::kEnding;
      return stream->Finish(&status, this);
    }
    if (state == State::kStarting) {
      state = State::kAsking;
      return stream->WriteLast(Packed(request), grpc::WriteOptions(), this);
    }
    if (state == State::kReading) Take();
    state = State::kReading;
    stream->Read(&message, this);
  }

  void Take() {
    if (!begun) {
      begun = true;
      --run.opening;
      ++run.begun;
      return;  // what the watch begins with holds no event: it is asked for from now on
    }
    grpc::Slice slice;
    if (!message.TrySingleSlice(&slice).ok() && !message.DumpToSingleSlice(&slice).ok()) return;
    run.messages += run.counting;
    Reader response{slice.begin(), slice.end()}, batch{}, event{}, inner{};
    for (int field; response.Next(&field, &batch);) {
      if (field != kBatchOfResponse) continue;
      while (batch.Next(&field, &event)) {
        if (field != kEventsOfBatch) continue;
        run.events += run.counting;
        while (event.Next(&field, &inner)) {
          if (field == kActionTakenOfEvent) Seen();
        }
      }
    }
  }

  // This seat has been shown the table's next action.
  void Seen() {
    if (actions >= table->commands.size()) return;
    Command& command = table->commands[actions++];
    if (++command.seen == kSeats) command.shown = Now();
  }

  void Ended() {
    if (begun) {
      if (run.broken++ < 5) std::fprintf(stderr, "a watch broke: %s\n", status.error_message().c_str());
      return;
    }
    --run.opening;
    if (tries >= kMostTries) {
      std::fprintf(stderr, "a watch did not begin: %s\n", status.error_message().c_str());
      std::_Exit(1);
    }
    run.to_open.push_back(this);
  }
};

// One command on its way.
struct Call : Operation {
  Command* command;
  grpc::ClientContext context;
  std::unique_ptr<grpc::ClientAsyncResponseReader<grpc::ByteBuffer>> reader;
  grpc::ByteBuffer answer;
  grpc::Status status;

  Call(Command* sent, Watch& seat) : command(sent) {
    context.AddMetadata("authorization", seat.authorization);
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(kAnswerSeconds));
    reader = seat.stub->PrepareUnaryCall(&context, "/gouji.v1.TableService/Act", Packed(sent->request), &run.queue);
    ++run.outstanding;
    command->sent = Now();
    reader->StartCall();
    reader->Finish(&answer, &status, this);
  }

  void Proceed(bool) override {
    command->answered = Now();
    command->code = status.error_code();
    --run.outstanding;
    static int told = 0;
    if (!status.ok() && told++ < 5) std::fprintf(stderr, "a command failed: %s\n", status.error_message().c_str());
    delete this;
  }
};

std::string Unhexed(const std::string& hex) {
  std::string bytes(hex.size() / 2, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = char(std::stoi(hex.substr(2 * i, 2), nullptr, 16));
  return bytes;
}

// Lines `table PHASE_SECONDS`, then its six `watch TOKEN REQUEST` and its `act SEAT REQUEST` in order.
void ReadPlan(const char* path) {
  std::ifstream plan(path);
  std::string kind, first, second;
  while (plan >> kind >> first) {
    if (kind == "table") {
      run.tables.emplace_back().phase = std::stod(first);
      continue;
    }
    plan >> second;
    Table& table = run.tables.back();
    if (kind == "watch") {
      auto watch = std::make_unique<Watch>();
      watch->table = &table;
      watch->authorization = "Bearer " + first;
      watch->request = Unhexed(second);
      run.to_open.push_back(watch.get());
      table.watches.push_back(std::move(watch));
    } else {
      Command command;
      command.seat = std::stoi(first);
      command.request = Unhexed(second);
      table.commands.push_back(std::move(command));
    }
  }
}

// A server behind Envoy sees some thousand streams a connection, so no more share one here.
void Connect(const std::string& address, int streams_per_connection) {
  int streams = 0;
  for (Watch* watch : run.to_open) {
    if (streams++ % streams_per_connection == 0) {
      grpc::ChannelArguments arguments;
      arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
      auto channel = grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
      run.stubs.push_back(std::make_unique<grpc::GenericStub>(channel));
    }
    watch->stub = run.stubs.back().get();
  }
}

// Take what has come, until `until` at the latest.
void Serve(double until) {
  void* tag = nullptr;
  bool ok = false;
  const auto deadline = std::chrono::system_clock::now() + std::chrono::duration_cast<std::chrono::microseconds>(
                                                               std::chrono::duration<double>(until - Now()));
  if (run.queue.AsyncNext(&tag, &ok, deadline) == grpc::CompletionQueue::GOT_EVENT) {
    static_cast<Operation*>(tag)->Proceed(ok);
  }
}

void OpenWatches(size_t all) {
  while (size_t(run.begun) < all) {
    while (run.opening < kOpeningAtOnce && !run.to_open.empty()) {
      Watch* watch = run.to_open.front();
      run.to_open.pop_front();
      watch->Open();
    }
    Serve(Now() + 0.1);
  }
}

void WaitForGo() {
  std::atomic<bool> told{false};
  std::thread waiting([&told] {
    std::string line;
    std::getline(std::cin, line);
    told = true;
  });
  while (!told) Serve(Now() + 0.001);
  waiting.join();
}

void Play(double period, double seconds) {
  using Due = std::pair<double, Table*>;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due;
  for (Table& table : run.tables) due.emplace(table.phase, &table);
  while (!due.empty()) {
    const auto [at, table] = due.top();
    if (Now() < at) {
      Serve(at);
      continue;
    }
    due.pop();
    if (at >= seconds || table->next == table->commands.size()) continue;
    Command& command = table->commands[table->next++];
    command.due = at;
    new Call(&command, *table->watches[command.seat]);
    due.emplace(at + period, table);
  }
}

bool AllShown() {
  return std::all_of(run.tables.begin(), run.tables.end(), [](const Table& table) {
    return table.next == 0 || table.commands[table.next - 1].shown >= 0;
  });
}

void Drain() {
  const double end = Now() + kDrainSeconds;
  double look = 0;
  bool done = false;
  while (Now() < end && !done) {
    Serve(Now() + 0.1);
    if (Now() < look) continue;
    look = Now() + 0.2;
    done = run.outstanding == 0 && AllShown();
  }
}

void WriteRecords(const char* path) {
  std::FILE* out = std::fopen(path, "w");
  if (out == nullptr) std::_Exit(1);
  for (size_t t = 0; t < run.tables.size(); ++t) {
    for (size_t n = 0; n < run.tables[t].next; ++n) {
      const Command& command = run.tables[t].commands[n];
      std::fprintf(out, "%zu,%zu,%.6f,%.6f,%.6f,%.6f,%d\n", t, n, command.due, command.sent, command.answered,
                   command.shown, command.code);
    }
  }
  std::fclose(out);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 7) {
    std::fprintf(stderr, "watchers ADDRESS PLAN RECORDS PERIOD_MS SECONDS STREAMS_PER_CONNECTION\n");
    return 2;
  }
  ReadPlan(arguments[2]);
  Connect(arguments[1], std::atoi(arguments[6]));
  OpenWatches(run.to_open.size());
  std::cout << "ready" << std::endl;
  WaitForGo();
  epoch = Steady::now();
  run.counting = true;
  Play(std::atof(arguments[4]) / 1000, std::atof(arguments[5]));
  Drain();
  WriteRecords(arguments[3]);
  std::cout << "done " << run.messages << ' ' << run.events << ' ' << run.broken << std::endl;
  std::_Exit(0);  // to close thousands of streams one by one tells nothing
}
