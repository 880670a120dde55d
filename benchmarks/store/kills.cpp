// SPDX-License-Identifier: BSL-1.0
// Eight processes store 10,000 kernels in one folder while processes are killed at random. What one
// of them said was stored has to be there, once and whole. Exit status 1 where it is not.
//
//     kills [ENTRIES [PROCESSES [SEED]]]
#include <lkt/store/kernel_store.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <poll.h>
#include <random>
#include <set>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

namespace fs = std::filesystem;

lkt::kernel_entry entry(int number) {
    lkt::kernel_entry e;
    e.key = {.operation = "matmul",
             .size = "64x32x48",
             .problem = std::string(64, 'a'),
             .judges = {},
             .language = lkt::language::wgsl,
             .backend = "webgpu",
             .device = "a GPU",
             .architecture = {},
             .lkt_version = "0"};
    e.status = number % 3 == 0 ? lkt::stored_status::rejected : lkt::stored_status::accepted;
    e.reply = "reply " + std::to_string(number) + "\n" + std::string(2000, 'x');
    e.kernel = e.reply;
    e.prompt = {{"user", std::string(8000, 'p')}};
    return e;
}

struct writer {
    pid_t process = -1;
    int said = -1; ///< a byte for each entry that is stored
    int next = 0, end = 0;
};

void start(writer& w, std::string const& folder) {
    int ends[2];
    if (::pipe(ends) != 0) std::exit(3);
    w.process = ::fork();
    if (w.process == 0) {
        ::close(ends[0]);
        lkt::kernel_store store(folder);
        for (int k = w.next; k < w.end; ++k) {
            char const said = store.put(entry(k)).has_value() ? '+' : '-';
            if (::write(ends[1], &said, 1) != 1) break;
        }
        ::_exit(0);
    }
    ::close(ends[1]);
    w.said = ends[0];
}

} // namespace

int main(int argc, char** argv) {
    int const entries = argc > 1 ? std::atoi(argv[1]) : 10'000;
    int const processes = argc > 2 ? std::atoi(argv[2]) : 8;
    std::mt19937 random(argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 1U);
    std::string folder = (fs::temp_directory_path() / "lkt-kills-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) return 3;
    std::vector<writer> writers(static_cast<std::size_t>(processes));
    for (int p = 0; p < processes; ++p) {
        writer& w = writers[static_cast<std::size_t>(p)];
        w.next = entries * p / processes;
        w.end = entries * (p + 1) / processes;
        start(w, folder);
    }
    int kills = 0, refused = 0, open = processes;
    auto const began = std::chrono::steady_clock::now();
    auto next_kill = began;
    while (open > 0) {
        std::vector<pollfd> wait;
        for (writer const& w : writers) wait.push_back({w.said, POLLIN, 0});
        (void)::poll(wait.data(), wait.size(), 2);
        for (std::size_t k = 0; k < writers.size(); ++k) {
            writer& w = writers[k];
            if (w.said < 0 || wait[k].revents == 0) continue;
            char said[256];
            auto const n = ::read(w.said, said, sizeof said);
            for (ssize_t i = 0; i < n; ++i) {
                refused += said[i] != '+';
                ++w.next;
            }
            if (n > 0) continue;
            ::close(w.said);
            w.said = -1;
            (void)::waitpid(w.process, nullptr, 0);
            if (w.next < w.end)
                start(w, folder);
            else
                --open;
        }
        if (std::chrono::steady_clock::now() < next_kill) continue;
        writer const& victim = writers[random() % writers.size()];
        if (victim.said >= 0 && ::kill(victim.process, SIGKILL) == 0) ++kills;
        next_kill = std::chrono::steady_clock::now() + std::chrono::milliseconds(5 + random() % 40);
    }
    double const took =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    auto const all = lkt::kernel_store(folder).read_all();
    if (!all) return 3;
    std::set<std::string> replies;
    for (lkt::kernel_entry const& e : all->entries) replies.insert(e.reply);
    auto const hidden =
        std::count_if(fs::directory_iterator(folder), fs::directory_iterator(), [](auto const& f) {
            return f.path().filename().string().starts_with('.');
        });
    auto const doubled = all->entries.size() - replies.size();
    auto const lost = static_cast<std::size_t>(entries) - replies.size();
    std::printf("figure kills %d processes\n", kills);
    std::printf("figure entries %zu entries\n", replies.size());
    std::printf("figure lost %zu entries\n", lost);
    std::printf("figure doubled %zu entries\n", doubled);
    std::printf("figure torn %zu files\n", all->faults.size());
    std::printf("figure refused %d entries\n", refused);
    std::printf("figure hidden %zd files\n", static_cast<ssize_t>(hidden));
    std::printf("figure stored %.0f entries/s\n", entries / took);
    fs::remove_all(folder);
    return lost == 0 && doubled == 0 && all->faults.empty() && refused == 0 ? 0 : 1;
}
